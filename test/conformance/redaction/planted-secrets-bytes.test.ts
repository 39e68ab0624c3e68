import { leaksIn, PLANTED_SECRETS } from '@reenact/instrumentation/testing';
import { HttpInstrumentation } from '@reenact/instrumentation-http';
import { replay } from '@reenact/replay';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LeakStage } from './leak-stage.ts';
import { LeakyBytesServer, leakyBytesAgent } from './leaky-bytes.ts';

// The server runs in this process, too, and the tap sends on what it was sent: none of that is the agent's.
const http = new HttpInstrumentation({
  inbound: false,
  ignoreOutbound: ({ url }) => !/^\/agent\/[^/]+\/p-/.test(url.pathname),
});
const TOLD_APART_CHARACTERS_MIN = 13;
let stage: LeakStage;

beforeAll(async () => {
  stage = await LeakStage.start();
  http.enable();
});

afterAll(async () => {
  http.disable();
  await stage.stop();
});

describe.each(PLANTED_SECRETS)('$kind, among bytes', (planted) => {
  it('leaves the process in no form, and the run replays', async () => {
    const server = await LeakyBytesServer.start(planted.text);
    const run = leakyBytesAgent(planted.text, server.url);
    const recording = await stage.record(run);
    expect(stage.leaksOf(planted)).toEqual([]);
    expect(recording.crossings.filter(({ kind }) => kind === 'http')).toHaveLength(5);
    const report = await replay({ recording, run });
    expect(server.requests).toHaveLength(5);
    await server.stop();
    expect(leaksIn(JSON.stringify(report.crossings), [planted])).toEqual([]);
    const changed = new Set(report.divergences.map(({ kind, path }) => `${kind} ${path.replace(/#\d+$/, '')}`));
    // Among bytes a token is as long as its secret: from so short a one it cannot be told which it is where it is handed on in a text.
    const isTooShort = planted.secret.length < TOLD_APART_CHARACTERS_MIN;
    expect([report.exitCode, [...changed]]).toEqual(
      isTooShort ? [1, ['input-changed agent:leaky-bytes/tool:echo']] : [0, []],
    );
  });
});
