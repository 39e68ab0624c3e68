import { setInterval as every, setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import { tool } from '@reenact/instrumentation';
import { expect, it } from 'vitest';
import type { Peer } from './fidelity-library.ts';
import { recordThenReplay } from './record-then-replay.ts';

/** Nothing is asked over the network. */
const nobody: Peer = { address: '', contacts: 0, stop: async () => undefined };

const waiting = tool('waiting', () => turn());

/**
 * Sets a limit that is late, because the agent computes, and so fires after what was called behind it. By its delay alone it would fire before.
 */
async function lateLimit(heard: string[], limitOf = (): Promise<unknown> => pause(5)): Promise<void> {
  const hears = (name: string) => (): void => void heard.push(name);
  const limit = limitOf().then(hears('limit'));
  const waited = waiting().then(hears('waited'));
  const computedUntil = performance.now() + 30;
  while (performance.now() < computedUntil);
  await Promise.all([limit, waited]);
}

const atOnce = tool('at-once', async () => undefined);

async function besideCall(heard: string[]): Promise<void> {
  // From a timer on, immediates come before the next one.
  await pause(1);
  const called = atOnce();
  await Promise.all([lateLimit(heard), called]);
}

const words = tool('words', async function* () {
  await pause(1);
  yield 'first';
  await pause(1);
});

async function besideStream(heard: string[]): Promise<void> {
  for await (const _word of words()) await lateLimit(heard);
}

async function ofIterator(heard: string[]): Promise<void> {
  const ticks = every(5);
  await pause(1);
  await lateLimit(heard, () => ticks.next());
  await lateLimit(heard, () => ticks.next());
  await ticks.return?.();
}

it.each([
  ['beside a call that settles before the event loop turns', besideCall],
  ['beside a stream whose code sets timers of its own', besideStream],
  ['for each value of an interval', ofIterator],
])('fires a timer where it fired, however late: set %s', async (_, beside) => {
  const play = async (): Promise<readonly string[]> => {
    const heard: string[] = [];
    await beside(heard);
    return heard;
  };
  const { recorded, report } = await recordThenReplay(nobody, play, { recordsDraws: true });
  expect((recorded as readonly string[]).slice(0, 2)).toEqual(['waited', 'limit']);
  expect(report.value).toEqual(recorded);
  expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, divergences: [] });
});
