import { readFile } from 'node:fs/promises';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { pristine, tool } from '@reenact/instrumentation';
import type { CrossingPlan } from '@reenact/recordings/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { virtualRun } from '../testdata/virtual-run.ts';

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});

afterAll(() => {
  context.disable();
});

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const call = tool('call', async (name: string) => `live ${name}`, { effect: 'read' });

function recorded(name: string, startMs: number, endMs: number, settled?: number): CrossingPlan {
  const times = { startUs: startMs * 1_000, endUs: endMs * 1_000, ...(settled === undefined ? {} : { settled }) };
  return { label: 'tool:call', input: [name], output: name, effect: 'read', ...times };
}

async function elapsedMs(work: () => Promise<unknown>): Promise<number> {
  const startedAt = pristine.performanceNow();
  await work();
  return pristine.performanceNow() - startedAt;
}

describe('a timer beside recorded calls', () => {
  it('fires where its time lies between their ends', async () => {
    const ends = fc.uniqueArray(fc.integer({ min: 1, max: 200 }), { minLength: 2, maxLength: 14 });
    await fc.assert(
      fc.asyncProperty(ends, fc.infiniteStream(fc.boolean()), async (times, kinds) => {
        const marks = times.map((time) => ({ ms: time * 1_000, isTimer: kinds.next().value === true }));
        const calls = marks.filter(({ isTimer }) => !isTimer).map(({ ms }) => recorded(`${ms}`, 0, ms));
        const seen: number[] = [];
        await virtualRun(
          () =>
            Promise.all(
              marks.map(({ ms, isTimer }) => (isTimer ? sleep(ms) : call(`${ms}`)).then(() => seen.push(ms))),
            ),
          { children: calls },
        );
        expect(seen).toEqual(marks.map(({ ms }) => ms).sort((left, right) => left - right));
      }),
      { numRuns: 40 },
    );
  });

  it('loses a race that it lost, and wins one that it won', async () => {
    const children = [recorded('fast', 0, 50), recorded('slow', 60, 400)];
    const { value } = await virtualRun(
      async () => [
        await Promise.race([call('fast'), sleep(60_000).then(() => 'timeout')]),
        await Promise.race([call('slow'), sleep(100).then(() => 'timeout')]),
      ],
      { children },
    );
    expect(value).toEqual(['fast', 'timeout']);
  });

  it('counts from the end of what the agent waited for before it', async () => {
    const children = [recorded('first', 0, 5_000), recorded('beside', 0, 5_500)];
    const { value } = await virtualRun(
      async () => {
        const seen: string[] = [];
        const beside = call('beside').then((name) => seen.push(name));
        await call('first');
        await sleep(200);
        seen.push('200 ms after first');
        await beside;
        return seen;
      },
      { children },
    );
    expect(value).toEqual(['200 ms after first', 'beside']);
  });
});

describe('a bug that depends on which of several finished first', () => {
  it('is there again in every one of a hundred replays, whatever the machine does meanwhile', async () => {
    const children = [recorded('fast', 1, 30.2, 1), recorded('slow', 1, 30.1, 0), recorded('late', 12, 30.15, 2)];
    const seen = new Set<string>();
    for (let round = 0; round < 100; round += 1) {
      const { value } = await virtualRun(
        async () => {
          const order: string[] = [];
          const note = async (name: string): Promise<void> => {
            for (let turns = (round * 7) % 5; turns > 0; turns -= 1) await Promise.resolve();
            order.push(await call(name));
          };
          const starts = [() => note('fast'), () => note('slow'), () => sleep(10).then(() => note('late'))];
          if (round % 2 === 1) starts.reverse();
          await Promise.all(starts.map((start) => start()));
          const until = pristine.performanceNow() + (round % 3);
          while (pristine.performanceNow() < until);
          return order;
        },
        { children },
      );
      seen.add(String(value));
    }
    expect([...seen]).toEqual(['slow,fast,late']);
  });
});

describe('a timer while the agent is busy', () => {
  it('waits for a call that was recorded to start before it fired, whatever is in between', async () => {
    const { value } = await virtualRun(
      async () => {
        const guard = sleep(10_000).then(() => 'timeout');
        // Work that no one can see from outside: the event loop only turns.
        const work = new Promise<void>((resolve) => pristine.setTimeout(resolve, 60));
        return Promise.race([work.then(() => call('after work')), guard]);
      },
      { children: [recorded('after work', 3_000, 3_100)] },
    );
    expect(value).toBe('after work');
  });

  it('waits for files that are being read', async () => {
    const { value } = await virtualRun(() =>
      Promise.race([
        readFile(new URL(import.meta.url), 'utf8').then(() => 'read'),
        sleep(60_000).then(() => 'timeout'),
      ]),
    );
    expect(value).toBe('read');
  });

  it('is not kept waiting for ever by a call that the changed code does not make', async () => {
    const took = await elapsedMs(() => virtualRun(() => sleep(50_000), { children: [recorded('gone', 3_000, 3_100)] }));
    expect(took).toBeLessThan(10_000);
  });
});

describe('a timer after everything that was recorded', () => {
  it('gives what really goes on its time', async () => {
    const { value } = await virtualRun(
      () =>
        Promise.race([
          new Promise((resolve) => pristine.setTimeout(() => resolve('real'), 100)),
          sleep(600_000).then(() => 'timeout'),
        ]),
      { endUs: 1_000 },
    );
    expect(value).toBe('real');
  });

  it('does not wait longer than it says', async () => {
    const took = await elapsedMs(() => virtualRun(() => sleep(30), { endUs: 1_000 }));
    expect(took).toBeGreaterThanOrEqual(29);
    expect(took).toBeLessThan(1_000);
  });
});

describe('a timer beside a crossing that runs live', () => {
  it('takes its real time, so that it does not cut the crossing short', async () => {
    const slow = tool(
      'slow',
      async () => {
        await sleep(60);
        return 'live';
      },
      { effect: 'read' },
    );
    const { value } = await virtualRun(() => Promise.race([slow(), sleep(5_000).then(() => 'timeout')]), {
      children: [{ label: 'tool:slow', output: 'recorded', effect: 'read', startUs: 0, endUs: 10_000_000 }],
      live: ['tool:slow'],
    });
    expect(value).toBe('live');
  });

  it('is virtual again once the crossing has ended', async () => {
    const quick = tool('quick', async () => 'live', { effect: 'read' });
    const took = await elapsedMs(() =>
      virtualRun(() => quick().then(() => sleep(600_000)), {
        children: [{ label: 'tool:quick', output: 'live', effect: 'read', startUs: 0, endUs: 1_000 }],
        live: ['tool:quick'],
      }),
    );
    expect(took).toBeLessThan(5_000);
  });
});

describe('when the replay is over', () => {
  it('what is left of its timers never fires', async () => {
    let beats = 0;
    await virtualRun(async () => {
      setInterval(() => {
        beats += 1;
      }, 1_000);
      await sleep(3_500);
    });
    const beatsThen = beats;
    expect(beatsThen).toBe(3);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(beats).toBe(beatsThen);
  });

  it('nothing piles up of a hundred thousand guards that were cleared', async () => {
    const before = process.cpuUsage();
    await virtualRun(async () => {
      for (let index = 0; index < 100_000; index += 1) clearTimeout(setTimeout(() => undefined, 600_000));
    });
    // Of the processor: how long it has to wait for one says nothing.
    const { user, system } = process.cpuUsage(before);
    expect(user + system).toBeLessThan(10_000_000);
  });
});

describe('timers of two replays at once', () => {
  it('never wait for each other', async () => {
    const [first, second] = await Promise.all([
      virtualRun(() => sleep(3_000_000).then(() => Date.now())),
      virtualRun(() => sleep(10).then(() => Date.now())),
    ]);
    expect((first.value ?? 0) - (second.value ?? 0)).toBeGreaterThan(2_900_000);
  });
});
