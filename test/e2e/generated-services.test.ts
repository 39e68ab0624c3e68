import { setTimeout as sleep } from 'node:timers/promises';
import type { RunSummary } from '@reenact/trace-model/collector-api';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { HttpPeer } from '../conformance/instrumentation/peers/http-peer.ts';
import type { Job } from '../scenarios/small/agent/service-program.ts';
import type { Stage } from '../scenarios/stage.ts';
import { jobs } from './jobs.ts';
import { type ProgramStage, setProgramStage } from './program-stage.ts';
import { listRuns, replayAsJson } from './small-stage.ts';

/** Each is started once to record it, and once more for each request, or job, that is replayed. */
const RUNS = Number(process.env.RUNS ?? 2);

const limits = { timeout: 600_000 };
const settings = { numRuns: RUNS, endOnFailure: true };

let programStage: ProgramStage;
let peer: HttpPeer;
let stage: Stage;
beforeAll(async () => {
  programStage = await setProgramStage();
  ({ peer, stage } = programStage);
});
afterAll(() => programStage.stop());

/** The runs that something makes, without that of its process. */
async function runsOfJobs(record: () => Promise<unknown>): Promise<RunSummary[]> {
  const before = new Set((await listRuns(stage)).map(({ traceId }) => traceId));
  await record();
  await peer.caughtUp();
  const added = (await listRuns(stage)).filter(({ traceId }) => !before.has(traceId));
  return added.filter(({ name }) => name === 'agent:job' || name?.startsWith('agent:POST') === true);
}

/** Replays each of them, and looks whether it and those beside it went as they were recorded, and asked nobody. */
async function replayEach(
  runs: readonly RunSummary[],
  script: string,
  options: Parameters<typeof replayAsJson>[3],
): Promise<void> {
  const { contacts } = peer;
  for (const run of runs) {
    const { report } = await replayAsJson(stage, run.rootSpanId, script, options);
    const verdict = expect.stringMatching(/^(reproduced|nothing-compared)$/);
    expect(report, JSON.stringify(report)).toMatchObject({ verdict, divergences: [] });
    expect(report.runsBeside?.diverged ?? 0, JSON.stringify(report)).toBe(0);
  }
  expect(peer.contacts).toBe(contacts);
}

async function ask(port: number, { afterMs, program }: Job): Promise<void> {
  await sleep(afterMs);
  const body = JSON.stringify(program);
  await (await fetch(`http://127.0.0.1:${port}/${program.name}`, { method: 'POST', body })).text();
}

it('replays each request of a service after and beside the others', limits, async () => {
  const script = 'generated-service.ts';
  const environment = { PEER: peer.address };
  const service = async (asked: readonly Job[]): Promise<void> => {
    const runs = await runsOfJobs(async () => {
      const started = await stage.start(['--import', 'reenact/register', script], environment);
      const { port } = JSON.parse(started.firstLine) as { port: number };
      await Promise.all(asked.map((job) => ask(port, job)));
      await started.stop();
    });
    expect(runs.length).toBe(asked.length);
    await replayEach(runs, script, { flags: ['--requests-before', 'all'], environment });
  };
  await fc.assert(fc.asyncProperty(jobs, service), settings);
});

it('replays each job of a batch among the others', limits, async () => {
  const script = 'generated-batch.ts';
  const batch = async (asked: readonly Job[]): Promise<void> => {
    const environment = { PEER: peer.address, JOBS: JSON.stringify(asked) };
    const runs = await runsOfJobs(() => stage.node(['--import', 'reenact/register', script], environment));
    expect(runs.length).toBe(asked.length);
    await replayEach(runs, script, { environment });
  };
  await fc.assert(fc.asyncProperty(jobs, batch), settings);
});
