import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { HttpPeer } from '../conformance/instrumentation/peers/http-peer.ts';
import { isOneProcessRun, programs } from '../conformance/instrumentation/program.ts';
import type { Stage } from '../scenarios/stage.ts';
import { type ProgramStage, setProgramStage } from './program-stage.ts';
import { recordRun, replayAsJson } from './small-stage.ts';

/** Each takes three processes, which are cold: what an agent sets to happen soon happens late in them. */
const RUNS = Number(process.env.RUNS ?? 12);

let programStage: ProgramStage;
let peer: HttpPeer;
let stage: Stage;
beforeAll(async () => {
  programStage = await setProgramStage();
  ({ peer, stage } = programStage);
});
afterAll(() => programStage.stop());

it('replays whatever a process does that has only just started', { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(programs, fc.constantFrom('0', '1'), async (program, BARE) => {
      fc.pre(BARE === '0' || isOneProcessRun(program));
      const environment = { PROGRAM: JSON.stringify(program), PEER: peer.address, BARE };
      const { run, recorded } = await recordRun(stage, 'generated.ts', environment);
      await peer.caughtUp();
      const contacts = peer.contacts;
      const { report, result } = await replayAsJson(stage, run.rootSpanId, 'generated.ts', { environment });
      expect(result.stderr).toContain(recorded.stdout.trim());
      expect(report).toMatchObject({
        verdict: expect.stringMatching(/^(reproduced|nothing-compared)$/),
        divergences: [],
      });
      expect(peer.contacts).toBe(contacts);
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
});
