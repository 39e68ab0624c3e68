import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ReplayReport } from '@reenact/trace-model';
import type { RunSummary } from '@reenact/trace-model/collector-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { listRuns, setSmallStage } from './small-stage.ts';

let stage: Stage;
let peer: Server;

beforeAll(async () => {
  peer = createServer((_, response) => response.end('fine'));
  await new Promise<void>((resolve) => {
    peer.listen(0, '127.0.0.1', resolve);
  });
  stage = await setSmallStage({ PEER_URL: `http://127.0.0.1:${(peer.address() as AddressInfo).port}/` });
});

afterAll(async () => {
  await stage.stop();
  peer.close();
});

interface Shown {
  readonly path: string;
  readonly outcome: { readonly type: string };
  readonly children?: readonly Shown[];
}

function outcomes({ path, outcome, children = [] }: Shown): string[] {
  return [`${path.replace(/:\d+$/, '')} ${outcome.type}`, ...children.flatMap(outcomes)];
}

async function crossingsOf(id: string): Promise<string[]> {
  const { stdout } = await stage.reenact(['show', id, '--json']);
  return (JSON.parse(stdout) as { crossings: readonly Shown[] }).crossings.flatMap(outcomes);
}

async function expectWhole(runs: readonly RunSummary[]): Promise<void> {
  expect(runs.map(({ name }) => name).sort()).toEqual(['one', 'three', 'two'].map((file) => `agent:tester-${file}`));
  for (const { name, rootSpanId, replayability } of runs) {
    expect(replayability.verdict).toBe('full');
    expect(await crossingsOf(rootSpanId)).toEqual([
      `${name} returned`,
      `${name}/http:GET 127.0.0.1 returned`,
      `${name}/tool:look returned`,
      `${name}/tool:look/http:GET 127.0.0.1 returned`,
    ]);
  }
}

describe('test files in contexts of their own, with the modules of the platform in common', () => {
  it('each have their calls in their own run, as they ended', async () => {
    const { stderr } = await stage.node(['--experimental-vm-modules', 'own-contexts.ts']);
    expect(stderr.replace(/^.*ExperimentalWarning.*\n.*trace-warnings.*\n/, '')).toBe('');
    await expectWhole(await listRuns(stage));
  });

  it('have them recorded and replayed by the hook of the process as well, with the clock and the random numbers of their context', async () => {
    const before = new Set((await listRuns(stage)).map(({ traceId }) => traceId));
    const command = ['--experimental-vm-modules', 'own-contexts.ts'];
    const { stdout: counts } = await stage.node(['--import', 'reenact/register', ...command], { HOOKED: 'outside' });
    // Nothing of a file stays in the process after it.
    expect(new Set(JSON.parse(counts) as number[]).size).toBe(1);
    const runs = (await listRuns(stage)).filter(({ traceId }) => !before.has(traceId));
    await expectWhole(runs);
    const last = runs.find(({ name }) => name === 'agent:tester-three')?.rootSpanId ?? '';
    const flags = ['replay', last, '--json', '--', 'node', ...command];
    const { exitCode, stdout } = await stage.reenact(flags, { HOOKED: 'outside' });
    const report = JSON.parse(stdout) as ReplayReport;
    expect([report.divergences, exitCode]).toEqual([[], 0]);
    expect(report.runsBeside?.stubbed).toBeGreaterThan(0);
  });
});
