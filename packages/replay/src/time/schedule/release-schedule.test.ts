import { readFile } from 'node:fs/promises';
import { setImmediate as turn } from 'node:timers/promises';
import { recordedTimeline } from '@reenact/recordings';
import { buildRecording, type CrossingPlan } from '@reenact/recordings/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { callAtOnce } from './call-timer.ts';
import { ReleaseSchedule } from './release-schedule.ts';

function scheduleOver(children: readonly CrossingPlan[]) {
  const recording = buildRecording({ label: 'agent:a', startUs: 0, endUs: 1_000_000, children });
  const [root, ...crossings] = recording.crossings;
  if (root === undefined) throw new TypeError('a recording has a root');
  const schedule = new ReleaseSchedule(recordedTimeline(root, recording.crossings));
  return {
    schedule,
    root,
    crossings,
    releases: crossings.map((crossing) => schedule.releaseOf(crossing, () => undefined)),
  };
}

describe('the release of parallel stubs', () => {
  it('follows the recorded ends, whatever the order of asking', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 30, size: 'max' }),
        async (ends) => {
          const { releases } = scheduleOver(ends.map((endUs) => ({ label: 'tool:t', startUs: 0, endUs })));
          const settled: number[] = [];
          await Promise.all(releases.map((release, index) => release.settle().then(() => settled.push(index))));
          const expected = ends.map((_, index) => index).sort((left, right) => (ends[left] ?? 0) - (ends[right] ?? 0));
          expect(settled).toEqual(expected);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('believes the counted completion order where clocks disagree with it', async () => {
    const { releases } = scheduleOver([
      { label: 'tool:a', startUs: 0, endUs: 100, settled: 1 },
      { label: 'tool:b', startUs: 0, endUs: 101, settled: 0 },
    ]);
    const settled: string[] = [];
    await Promise.all([
      releases[0]?.settle().then(() => settled.push('a')),
      releases[1]?.settle().then(() => settled.push('b')),
    ]);
    expect(settled).toEqual(['b', 'a']);
  });

  it('believes the clock where several processes counted', async () => {
    const { releases } = scheduleOver([
      { label: 'tool:a', startUs: 0, endUs: 300, settled: 0 },
      { label: 'tool:b', startUs: 0, endUs: 100, settled: 0 },
      { label: 'tool:c', startUs: 0, endUs: 200, settled: 1 },
    ]);
    const settled: string[] = [];
    const names = ['a', 'b', 'c'];
    await Promise.all(releases.map((release, index) => release.settle().then(() => settled.push(names[index] ?? ''))));
    expect(settled).toEqual(['b', 'c', 'a']);
  });
});

describe('the agent between two releases', () => {
  it('reacts to the first, and what it starts then takes its own place', async () => {
    const { releases } = scheduleOver([
      { label: 'tool:short', startUs: 0, endUs: 10 },
      { label: 'tool:long', startUs: 0, endUs: 100 },
      { label: 'tool:after-short', startUs: 11, endUs: 50 },
    ]);
    const seen: string[] = [];
    const [short, long, after] = releases;
    const chain = async (): Promise<void> => {
      await short?.settle();
      seen.push('short');
      await Promise.resolve().then(() => undefined);
      await after?.settle();
      seen.push('after-short');
    };
    await Promise.all([long?.settle().then(() => seen.push('long')), chain()]);
    expect(seen).toEqual(['short', 'after-short', 'long']);
  });

  it('may wait for the outside world: neither waits for the other', async () => {
    const { releases } = scheduleOver([
      { label: 'tool:a', startUs: 0, endUs: 10 },
      { label: 'tool:b', startUs: 20 },
    ]);
    await releases[0]?.settle();
    await readFile(new URL(import.meta.url));
    await expect(releases[1]?.settle()).resolves.toBeUndefined();
  });
});

describe('streams', () => {
  it('interleave their chunks as recorded', async () => {
    const { releases } = scheduleOver([
      { label: 'model:a', startUs: 0, endUs: 100 },
      { label: 'model:b', startUs: 5, endUs: 90 },
    ]);
    const seen: string[] = [];
    const play = async (index: number, name: string, offsets: readonly number[]): Promise<void> => {
      for (const offset of offsets) {
        await releases[index]?.at(offset);
        seen.push(`${name}${offset}`);
      }
      await releases[index]?.settle();
      seen.push(`${name} ended`);
    };
    await Promise.all([play(0, 'a', [10, 30, 50]), play(1, 'b', [1, 20, 80])]);
    expect(seen).toEqual(['b1', 'a10', 'b20', 'a30', 'a50', 'b80', 'b ended', 'a ended']);
  });
});

describe('a thousand parallel stubs', () => {
  it('settle in recorded order in well under a second', async () => {
    const count = 1_000;
    const plans = Array.from(
      { length: count },
      (_, index): CrossingPlan => ({
        label: 'tool:t',
        startUs: 0,
        endUs: count - index,
      }),
    );
    const { releases } = scheduleOver(plans);
    const settled: number[] = [];
    // Of the processor: on a busy machine a clock tells how long others had it.
    const started = process.cpuUsage();
    await Promise.all(releases.map((release, index) => release.settle().then(() => settled.push(index))));
    const { user, system } = process.cpuUsage(started);
    expect(user + system).toBeLessThan(1_000_000);
    expect(settled).toEqual(plans.map((_, index) => count - 1 - index));
  });
});

describe('beside a crossing that runs live', () => {
  const live: CrossingPlan = { label: 'tool:live', startUs: 0, endUs: 50_000 };

  it('what was recorded before its end does not wait, what came after waits for it', async () => {
    const { schedule, releases, crossings } = scheduleOver([
      live,
      { label: 'tool:before', startUs: 0, endUs: 40_000 },
      { label: 'tool:after', startUs: 0, endUs: 10_000_000 },
    ]);
    const seen: string[] = [];
    const [running] = crossings;
    if (running === undefined) throw new TypeError('three crossings were built');
    schedule.began(running);
    const after = releases[2]?.settle().then(() => seen.push('after'));
    await releases[1]?.settle().then(() => seen.push('before'));
    for (let turns = 0; turns < 20; turns += 1) await turn();
    seen.push('live');
    schedule.advance(running);
    await after;
    expect(seen).toEqual(['before', 'live', 'after']);
  });

  it('nothing waits longer than it took when recorded', async () => {
    const { schedule, releases, crossings } = scheduleOver([
      live,
      { label: 'tool:after', startUs: 40_000, endUs: 60_000 },
    ]);
    for (const crossing of crossings.slice(0, 1)) schedule.began(crossing);
    const startedAt = performance.now();
    await releases[1]?.settle();
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(18);
  });

  it('what is asked for while another rests is taken in turn', async () => {
    const { schedule, releases, crossings } = scheduleOver([
      live,
      { label: 'tool:late', startUs: 0, endUs: 10_000_000 },
      { label: 'tool:early', startUs: 0, endUs: 10_000 },
    ]);
    for (const crossing of crossings.slice(0, 1)) schedule.began(crossing);
    void releases[1]?.settle();
    for (let turns = 0; turns < 10; turns += 1) await turn();
    await expect(releases[2]?.settle()).resolves.toBeUndefined();
    for (const crossing of crossings.slice(0, 1)) schedule.advance(crossing);
  });
});

describe('special crossings', () => {
  it('a pending one never settles', async () => {
    const { releases } = scheduleOver([{ label: 'tool:t', outcome: 'pending', startUs: 0, endUs: 0 }]);
    const seen: string[] = [];
    void releases[0]?.settle().then(() => seen.push('settled'));
    for (let turns = 0; turns < 50; turns += 1) await turn();
    expect(seen).toEqual([]);
  });

  it('a synchronous one hands over at once and moves recorded time on', () => {
    const { schedule, releases } = scheduleOver([{ label: 'tool:t', call: 'sync', startUs: 0, endUs: 40 }]);
    void releases[0]?.settle();
    expect(schedule.nowUs).toBe(40);
  });
});

describe('before the run', () => {
  /** One call of the set-up, asked for now, and one timer, set before it; gives what the agent hears of them, in order. */
  async function heard(startMs: number, endMs: number, delayMs: number, isEntered = false): Promise<string[]> {
    const call: CrossingPlan = { label: 'tool:connect', startUs: startMs * 1_000, endUs: endMs * 1_000 };
    const { schedule, root, crossings, releases } = scheduleOver([call]);
    const seen: string[] = [];
    const arm = () =>
      new Promise<void>((resolve) => {
        const call = { self: schedule, callback: () => resolve(), parameters: [] };
        schedule.arm({ delayMs, isHolding: true, fire: (began) => callAtOnce(call, began) });
      });
    const guard = isEntered ? undefined : arm();
    if (crossings[0] !== undefined) schedule.made(crossings[0], false);
    const answered = releases[0]?.settle().then(() => seen.push('answer'));
    if (isEntered) schedule.enterRun(root);
    const fired = (guard ?? arm()).then(() => seen.push('timer'));
    await Promise.all([answered, fired]);
    return seen;
  }

  it('a guard around a call does not stand before an answer that came in time', async () => {
    expect(await heard(-500, -480, 100)).toEqual(['answer', 'timer']);
  });

  it('a timer that was due before the answer fires before it', async () => {
    expect(await heard(-3_000, -1_000, 100)).toEqual(['timer', 'answer']);
  });

  it('what is on its way when the run is entered comes before what the run waits for', async () => {
    expect(await heard(-500, -480, 100, true)).toEqual(['answer', 'timer']);
  });
});

describe('work that begins while other work is waited for', () => {
  it('is a part of it where it came before it, by numbers of one kind: the process outside of the run has its own', async () => {
    const { schedule, root } = scheduleOver([]);
    schedule.enterRun(root);
    const ended = { hasFired: true, timeUs: 10, order: 44 };
    await new Promise((resolve) => {
      schedule.arm({
        ...{ delayMs: 0, isHolding: true, isWork: true, recorded: { ...ended, isOutside: true } },
        fire: () => {
          resolve(undefined);
          return () => undefined;
        },
      });
    });
    const before = { hasFired: true, timeUs: 5, order: 3 };
    expect(schedule.isBesideWorkAfter({ ...before, isOutside: true })).toBe(true);
    expect(schedule.isBesideWorkAfter({ ...ended, order: 45, isOutside: true })).toBe(false);
    expect(schedule.isBesideWorkAfter(before)).toBe(false);
    schedule.dropTimers();
  });
});
