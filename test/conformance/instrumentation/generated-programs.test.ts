import { HttpInstrumentation } from '@reenact/instrumentation-http';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { HttpPeer } from './peers/http-peer.ts';
import { startProgramPeer } from './peers/program-peer.ts';
import { Performance, type Program } from './performance.ts';
import { programs } from './program.ts';
import { recordThenReplay } from './record-then-replay.ts';

const RUNS = Number(process.env.RUNS ?? 150);

let peer: HttpPeer;
let instrumentation: HttpInstrumentation;
beforeAll(async () => {
  peer = await startProgramPeer();
  instrumentation = new HttpInstrumentation({ inbound: false });
});
afterAll(async () => {
  instrumentation.disable();
  await peer.stop();
});

async function performed(program: Program): Promise<unknown> {
  const performance = new Performance(peer.address);
  const outcome = await performance.perform(program).catch((error: Error) => `${error.name}: ${error.message}`);
  return { outcome, heard: performance.heard };
}

it('replays whatever an agent does, in the order in which it heard of it', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(programs, async (program) => {
      const { recorded, report, contactsInReplay } = await recordThenReplay(peer, () => performed(program), {
        recordsDraws: true,
      });
      expect(report.value).toEqual(recorded);
      expect(report).toMatchObject({
        verdict: expect.stringMatching(/^(reproduced|nothing-compared)$/),
        divergences: [],
      });
      expect(contactsInReplay).toBe(0);
    }),
    { numRuns: RUNS },
  );
});
