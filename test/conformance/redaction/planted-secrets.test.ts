import { leaksIn, PLANTED_SECRETS } from '@reenact/instrumentation/testing';
import { HttpInstrumentation } from '@reenact/instrumentation-http';
import { replay } from '@reenact/replay';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LeakStage } from './leak-stage.ts';
import { LeakyServer, leakyAgent } from './leaky-agent.ts';
import { requestsTo } from './requests-to.ts';

// The servers run in this process, too, and the tap sends on what it was sent: none of that is the agent's.
const http = new HttpInstrumentation({
  inbound: false,
  ignoreOutbound: ({ url }) => !/^\/agent\/[^/]+\/p/.test(url.pathname),
});
let stage: LeakStage;

beforeAll(async () => {
  stage = await LeakStage.start();
  http.enable();
});

afterAll(async () => {
  http.disable();
  await stage.stop();
});

describe.each(PLANTED_SECRETS)('$kind', (planted) => {
  it('leaves the process in no form, and the run replays', async () => {
    const { text } = planted;
    const server = await LeakyServer.start(text);
    const run = leakyAgent(text, server.url);
    const recording = await stage.record(run);
    expect(stage.leaksOf(planted)).toEqual([]);
    expect(recording.crossings.map(({ name }) => name).filter((name) => name === 'echo')).toHaveLength(6);
    expect(server.requests).toHaveLength(4);
    const { sent, value: report } = await requestsTo(server.url, () => replay({ recording, run }));
    // Neither did one leave this process, nor did one arrive.
    expect([sent, server.requests.length]).toEqual([[], 4]);
    await server.stop();
    expect(report.divergences).toEqual([]);
    expect([report.exitCode, leaksIn(JSON.stringify(report.crossings), [planted])]).toEqual([0, []]);
  });
});
