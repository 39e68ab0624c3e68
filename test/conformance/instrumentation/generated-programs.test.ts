import * as anthropic from '@anthropic-ai/sdk';
import { AnthropicInstrumentation } from '@reenact/instrumentation-anthropic';
import { HttpInstrumentation } from '@reenact/instrumentation-http';
import { OpenAIInstrumentation } from '@reenact/instrumentation-openai';
import fc from 'fast-check';
import * as openai from 'openai';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { HttpPeer } from './peers/http-peer.ts';
import { startProgramPeer } from './peers/program-peer.ts';
import { Performance, type Program } from './performance.ts';
import { programs } from './program.ts';
import { recordThenReplay } from './record-then-replay.ts';

const RUNS = Number(process.env.RUNS ?? 150);

/** A busy machine runs as many as there is time for. */
const LIMIT_MS = 600 * RUNS;

let peer: HttpPeer;
let instrumentations: readonly { disable(): void }[];
beforeAll(async () => {
  peer = await startProgramPeer();
  const ofOpenai = new OpenAIInstrumentation();
  ofOpenai.patchModule(openai);
  const ofAnthropic = new AnthropicInstrumentation();
  ofAnthropic.patchModule(anthropic);
  instrumentations = [ofOpenai, ofAnthropic, new HttpInstrumentation({ inbound: false })];
});
afterAll(async () => {
  for (const instrumentation of instrumentations) instrumentation.disable();
  await peer.stop();
});

async function performed(program: Program): Promise<unknown> {
  const performance = new Performance(peer.address);
  const outcome = await performance.perform(program).catch((error: Error) => `${error.name}: ${error.message}`);
  // What goes on behind the end is for processes of their own (test/e2e): nothing is recorded of it here.
  await performance.over();
  return { outcome, heard: [...performance.heard] };
}

it('replays whatever an agent does, in the order in which it heard of it', { timeout: 2 * LIMIT_MS }, async () => {
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
    { numRuns: RUNS, interruptAfterTimeLimit: LIMIT_MS },
  );
});
