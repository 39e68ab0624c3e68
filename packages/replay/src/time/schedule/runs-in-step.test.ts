import { setTimeout as sleep } from 'node:timers/promises';
import { recordedTimeline } from '@reenact/recordings';
import { buildRecording } from '@reenact/recordings/testing';
import { describe, expect, it } from 'vitest';
import { EXPECTED_CALL_MS_MAX, STEPS_GIVEN_UP_MAX } from '../../limits.ts';
import { RaisedMessages } from '../../player/raised-messages.ts';
import type { RecordedTimer } from '../recorded/timer-place.ts';
import { callAtOnce } from './call-timer.ts';
import { ExpectedCalls } from './expected-calls.ts';
import { ReleaseSchedule } from './release-schedule.ts';
import { RunsInStep } from './runs-in-step.ts';

interface RunUnderTest {
  readonly schedule: ReleaseSchedule;
  /** Makes its next call; resolves when that is answered. */
  readonly call: () => Promise<unknown>;
  readonly end: () => void;
}

/** A run whose calls, one after the other, ended at these times; it began `startedUs` after the first one. */
function runEnding(runs: RunsInStep, startedUs: number, ends: readonly number[], endUs: number): RunUnderTest {
  const children = ends.map((end, index) => ({
    label: 'tool:t' as const,
    startUs: (ends[index - 1] ?? 0) + 1,
    endUs: end,
    settled: index,
  }));
  const recording = buildRecording({ label: 'agent:a', startUs: 0, endUs, settled: ends.length, children });
  const [root, ...crossings] = recording.crossings;
  if (root === undefined) throw new TypeError('a recording has a root');
  const timeline = recordedTimeline(root, recording.crossings);
  const schedule = new ReleaseSchedule(timeline, {
    expected: new ExpectedCalls(recording, timeline),
    joinOthers: (run) => runs.join(run, BigInt(startedUs) * 1_000n),
  });
  schedule.enterRun(root, endUs);
  const call = (): Promise<unknown> => {
    const crossing = crossings.shift();
    if (crossing === undefined) throw new TypeError('it is not called so often');
    schedule.made(crossing, false);
    return schedule.releaseOf(crossing, () => undefined).settle();
  };
  return { schedule, call, end: () => schedule.ended(root) };
}

/** Runs both beside each other, `between` before each of the first one's calls, and gives in which order they heard of what. */
async function heardBy(
  first: RunUnderTest,
  second: RunUnderTest,
  between: () => Promise<unknown>,
): Promise<readonly string[]> {
  const heard: string[] = [];
  const work = async (run: RunUnderTest, name: string, wait: () => Promise<unknown>): Promise<void> => {
    for (const part of [1, 2, 3]) {
      await wait();
      await run.call();
      heard.push(`${name}${part}`);
    }
    run.end();
    heard.push(`${name} ended`);
  };
  await Promise.all([work(first, 'a', between), work(second, 'b', () => Promise.resolve())]);
  return heard;
}

describe('runs beside each other', () => {
  const expected = ['b1', 'a1', 'b2', 'a2', 'a3', 'a ended', 'b3', 'b ended'];

  function both(): [RunUnderTest, RunUnderTest] {
    const runs = new RunsInStep();
    // By one clock, the first is answered at 30, 50 and 60, and the second at 20, 40 and 80.
    return [runEnding(runs, 10, [20, 40, 50], 52), runEnding(runs, 0, [20, 40, 80], 90)];
  }

  it('are answered in the order in which they were when they were recorded', async () => {
    const [first, second] = both();
    expect(await heardBy(first, second, () => Promise.resolve())).toEqual(expected);
  });

  it('wait for one that is busy on its way to a call that came first', async () => {
    const [first, second] = both();
    expect(await heardBy(first, second, () => sleep(20))).toEqual(expected);
  });

  it('do not wait for ever for one that never comes to it', async () => {
    const [, second] = both();
    const startedMs = performance.now();
    await second.call();
    await second.call();
    await second.call();
    const waitedMs = performance.now() - startedMs;
    expect(waitedMs).toBeGreaterThan(EXPECTED_CALL_MS_MAX / 2);
    expect(waitedMs).toBeLessThan(3 * EXPECTED_CALL_MS_MAX);
  });

  it('wait no more for one that is over', async () => {
    const [first, second] = both();
    first.schedule.step?.leave();
    const startedMs = performance.now();
    await second.call();
    await second.call();
    await second.call();
    expect(performance.now() - startedMs).toBeLessThan(EXPECTED_CALL_MS_MAX);
  });

  it('wait for each other in what their code has left behind, and no longer than that', async () => {
    const [first, second] = both();
    const heard: string[] = [];
    const left = first.call().then(() => heard.push('left behind'));
    first.schedule.step?.leave();
    const startedMs = performance.now();
    await second.call();
    heard.push('second');
    const next = second.call().then(() => heard.push('second again'));
    await Promise.all([left, next]);
    expect(heard).toEqual(['second', 'left behind', 'second again']);
    expect(performance.now() - startedMs).toBeLessThan(EXPECTED_CALL_MS_MAX / 2);
  });

  it('are waited for in vain only so often', async () => {
    const runs = new RunsInStep();
    const count = 9;
    // Each comes to its first call when the one before was given up, and never to its second.
    const others = Array.from({ length: count }, (_, index) =>
      runEnding(runs, 0, [index * 10 + 4, index * 10 + 6], 900),
    );
    const ends = others.map((_, index) => index * 10 + 8);
    const busy = runEnding(runs, 0, ends, 1_000);
    const startedMs = performance.now();
    for (const other of others) await Promise.all([other.call(), busy.call()]);
    expect(performance.now() - startedMs).toBeLessThan((STEPS_GIVEN_UP_MAX + 1) * EXPECTED_CALL_MS_MAX);
  });
});

describe('a timer beyond the end of a run', () => {
  /** A run that waits for the other by a limit that they share, beside a timer that it clears once it is answered. */
  async function heardBeside(recorded: RecordedTimer | undefined): Promise<readonly string[]> {
    const runs = new RunsInStep();
    const [held, other] = [runEnding(runs, 0, [300_000], 400_000), runEnding(runs, 0, [100_000, 200_000], 250_000)];
    const heard: string[] = [];
    const timer = held.schedule.arm({
      ...{ delayMs: 500, isHolding: true, recorded },
      fire: (began) => {
        began();
        heard.push('timer');
        return () => undefined;
      },
    });
    for (const part of [1, 2]) {
      // Longer than the timer takes, as on a machine that has much else to do.
      await sleep(400);
      await other.call();
      heard.push(`other ${part}`);
    }
    await held.call();
    timer.cancel();
    heard.push('answered');
    return heard;
  }

  it.each([
    ['that was recorded not to fire', { hasFired: false, timeUs: 300_000, order: 0 }],
    ['of which nothing is known', undefined],
  ])('comes behind what others are to be given before, %s', async (_, recorded) => {
    expect(await heardBeside(recorded)).toEqual(['other 1', 'other 2', 'answered']);
  });
});

describe('a timer within a run that was recorded not to fire, as a limit of what another run brings', () => {
  it('comes behind what the other was given before it was due', async () => {
    const runs = new RunsInStep();
    const [held, other] = [runEnding(runs, 0, [], 400_000), runEnding(runs, 0, [100_000], 400_000)];
    const heard: string[] = [];
    const fired = new Promise<void>((resolve) => {
      const call = { self: held, callback: () => resolve(void heard.push('timer')), parameters: [] };
      held.schedule.arm({
        ...{ delayMs: 150, isHolding: true, recorded: { hasFired: false, timeUs: 150_000, order: 1 } },
        fire: (began) => callAtOnce(call, began),
      });
    });
    // On its way to its call, as on a machine that has much else to do.
    await sleep(400);
    await other.call();
    heard.push('other');
    await fired;
    expect(heard).toEqual(['other', 'timer']);
  });
});

describe('runs that the same comes to', () => {
  it('are given it together, and are not held up by the first that has come to it', async () => {
    const runs = new RunsInStep();
    const raised = new RaisedMessages();
    const message = { name: 'message:stdin', startTimeUnixNano: 25_000n };
    const members = [runEnding(runs, 10, [20], 52), runEnding(runs, 0, [40], 90), runEnding(runs, 5, [45], 90)];
    const heard: string[] = [];
    for (const [index, { schedule }] of members.entries()) {
      raised.expect(message);
      const come = (began: () => void, isHanded: boolean): void => {
        began();
        heard.push(`${index} ${isHanded}`);
      };
      schedule.arm({
        ...{ delayMs: 1, isHolding: true, isShared: true },
        recorded: { hasFired: true, timeUs: 25 - ([10, 0, 5][index] ?? 0), order: -1 },
        fire: (began) => raised.due(message, (isHanded) => come(began, isHanded)),
      });
    }
    const startedMs = performance.now();
    await Promise.all(members.map(({ call }, index) => call().then(() => heard.push(`${index} answered`))));
    expect(heard.map((said) => said.split(' ')[1])).toEqual([
      ...['false', 'false', 'true'],
      ...['answered', 'answered', 'answered'],
    ]);
    expect(performance.now() - startedMs).toBeLessThan(EXPECTED_CALL_MS_MAX / 2);
  });

  it('do not wait for each other, as for a signal or a line that was typed', () => {
    const runs = new RunsInStep();
    const rules = { expectedUs: Number.POSITIVE_INFINITY, quietMs: 0, giveUp: () => undefined };
    const nothing = (): void => undefined;
    const restOf = (startNano: bigint, nextUs: number | undefined): (() => number) => {
      const run = { isReacting: false, nextUs, live: { isAny: false }, rules, goOn: nothing, lookAgain: nothing };
      const step = runs.join(run, startNano);
      return () => step.restMs(nextUs);
    };
    const first = restOf(0n, undefined);
    // One and the same time, which reckoned from the start of another is 0.00000000003 microseconds later for each.
    const rests = [restOf(-487_861_591n, 205_165.253), restOf(-344_237_417n, 61_541.079)];
    expect([first, ...rests].map((rest) => rest())).toEqual([0, 0, 0]);
  });
});
