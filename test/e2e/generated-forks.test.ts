import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assembleRecording } from '@reenact/dialects';
import type { Crossing, ReplayReport } from '@reenact/trace-model';
import { readFixture } from '@reenact/trace-model/reading';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { HttpPeer } from '../conformance/instrumentation/peers/http-peer.ts';
import { isOneProcessRun, programs } from '../conformance/instrumentation/program.ts';
import type { Stage } from '../scenarios/stage.ts';
import { type ProgramStage, setProgramStage } from './program-stage.ts';
import { recordRun, replayAsJson } from './small-stage.ts';

const script = 'generated.ts';

/** Each takes three processes of agents and some commands. */
const RUNS = Number(process.env.RUNS ?? 4);

const limits = { timeout: 600_000 };

let programStage: ProgramStage;
let peer: HttpPeer;
let stage: Stage;
beforeAll(async () => {
  programStage = await setProgramStage();
  ({ peer, stage } = programStage);
});
afterAll(() => programStage.stop());

/** What a replay that was sent on is kept as, replayed by itself: nothing of the run that it was made from is needed, and nobody is asked. */
async function replaysByItself({ exported }: ReplayReport, environment: NodeJS.ProcessEnv): Promise<ReplayReport> {
  const [id = ''] = exported?.traceIds ?? [];
  await peer.caughtUp();
  const { contacts } = peer;
  const { report } = await replayAsJson(stage, id, script, { environment });
  expect(report, JSON.stringify(report)).toMatchObject({
    verdict: expect.stringMatching(/^(reproduced|nothing-compared)$/),
    divergences: [],
  });
  expect(peer.contacts).toBe(contacts);
  return report;
}

/** The crossings at which a run can be forked: those that its own code makes. */
async function forkable(id: string): Promise<Crossing[]> {
  const file = join(stage.folder, `${id}.otlp.jsonl`);
  await stage.reenact(['export', id, '--out', file]);
  const { crossings, roots } = assembleRecording(readFixture(readFileSync(file, 'utf8'), file));
  return crossings.filter(({ parentSpanId }) => parentSpanId !== undefined && parentSpanId === roots[0]?.spanId);
}

it('keeps of a replay all that its own replay needs', limits, async () => {
  await fc.assert(
    fc.asyncProperty(programs, fc.constantFrom('0', '1'), async (program, BARE) => {
      fc.pre(BARE === '0' || isOneProcessRun(program));
      const environment = { PROGRAM: JSON.stringify(program), PEER: peer.address, BARE };
      const { run } = await recordRun(stage, script, environment);
      const { report } = await replayAsJson(stage, run.rootSpanId, script, { flags: ['--export'], environment });
      const again = await replaysByItself(report, environment);
      expect(again.outcome?.replayed).toEqual(report.outcome?.replayed);
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
});

it('keeps of a fork all that its own replay needs', limits, async () => {
  await fc.assert(
    fc.asyncProperty(programs, fc.nat(), async (program, place) => {
      const environment = { PROGRAM: JSON.stringify(program), PEER: peer.address, BARE: '0' };
      const { run } = await recordRun(stage, script, environment);
      const crossings = await forkable(run.traceId);
      fc.pre(crossings.length > 0);
      const flags = ['--fork', crossings[place % crossings.length]?.spanId ?? ''];
      const { report } = await replayAsJson(stage, run.rootSpanId, script, { flags, environment });
      const again = await replaysByItself(report, environment);
      expect(again.outcome?.replayed).toEqual(report.outcome?.replayed);
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
});
