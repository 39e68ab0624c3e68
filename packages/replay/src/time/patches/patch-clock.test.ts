import { setImmediate as turn } from 'node:timers/promises';
import { runInThisContext } from 'node:vm';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { tool, whileFetching } from '@reenact/instrumentation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VIRTUAL_RUN_START, virtualRun } from '../../testdata/virtual-run.ts';

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});

afterAll(() => {
  context.disable();
});

describe('the clock of a replayed run', () => {
  it('starts at the recorded start, jumps to the end of what was served, and passes in between', async () => {
    const read = tool('read', async () => 'live');
    const { value } = await virtualRun(
      async () => {
        const reads = [Date.now(), Date.parse(new Date().toISOString())];
        await read();
        return [...reads, Date.now(), Date.parse(Date())].map((timeMs) => timeMs - VIRTUAL_RUN_START);
      },
      { children: [{ label: 'tool:read', startUs: 1_000, endUs: 5_000_000 }] },
    );
    const [atStart = -1, again = -1, afterRead = -1, asText = -1] = value ?? [];
    for (const early of [atStart, again]) expect(early >= 0 && early < 2_000).toBe(true);
    for (const late of [afterRead, asText]) expect(late >= 5_000 && late < 7_000).toBe(true);
  });

  it('keeps the recorded reads for the agent where fetch, which answers a `data:` address for real, reads the clock itself', async () => {
    // What Node.js does when a body has ended.
    const readByFetch = runInThisContext('() => Date.now()', 'node:internal/deps/undici/undici') as () => number;
    const { value } = await virtualRun(
      async () => {
        const answer = Promise.withResolvers<Response>();
        const call = whileFetching(answer.promise);
        readByFetch();
        answer.resolve(new Response());
        await call;
        return [Date.now(), Date.now()].map((timeMs) => timeMs - VIRTUAL_RUN_START);
      },
      { draws: { 'Date.now': [VIRTUAL_RUN_START + 7, 1, 5, 1] } },
    );
    expect(value).toEqual([7, 12]);
  });

  it('lets a busy loop end, by whichever clock it goes', async () => {
    const { value } = await virtualRun(() => {
      // Longer than a busy machine leaves a process alone.
      const ms = 500;
      const deadlines = [
        Date.now() + ms,
        performance.now() + ms,
        process.hrtime.bigint() + BigInt(ms) * 1_000_000n,
      ] as const;
      let reads = 0;
      while (Date.now() < deadlines[0]) reads += 1;
      while (performance.now() < deadlines[1]) reads += 1;
      while (process.hrtime.bigint() < deadlines[2]) reads += 1;
      return reads;
    });
    expect(value).toBeGreaterThan(0);
  });

  it('agrees with itself: origin and time since, uptime, and differences of hrtime', async () => {
    const { value } = await virtualRun(() => {
      const now = Date.now();
      const before = process.hrtime();
      const [seconds, nanoseconds] = process.hrtime(before);
      return {
        offMs: Math.abs(performance.timeOrigin + performance.now() - now),
        uptimeOffMs: Math.abs(process.uptime() * 1_000 - performance.now()),
        sinceMs: seconds * 1_000 + nanoseconds / 1e6,
      };
    });
    for (const difference of Object.values(value ?? { none: -1 })) {
      expect(difference).toBeGreaterThanOrEqual(0);
      expect(difference).toBeLessThan(1_000);
    }
  });
});

describe('everything else about Date', () => {
  it('is as it is outside replays', async () => {
    const { value } = await virtualRun(() => {
      class Day extends Date {
        readonly label = 'day';
      }
      const [day, date] = [new Day(), new Date()];
      return [
        day instanceof Date && day instanceof Day && day.label,
        date.constructor === Date,
        new Date(0).toISOString(),
        new Date(2026, 0, 2, 3).getHours(),
        Date.UTC(1970, 0, 2),
        Date.length,
        Date.name,
        Object.prototype.toString.call(date),
        new Date(Number.NaN).getTime(),
        structuredClone(date).getTime() === date.getTime(),
      ];
    });
    const plain = [
      'day',
      true,
      '1970-01-01T00:00:00.000Z',
      3,
      86_400_000,
      7,
      'Date',
      '[object Date]',
      Number.NaN,
      true,
    ];
    expect(value).toEqual(plain);
  });
});

describe('clock reads that were recorded', () => {
  it('are read again, each by its function and in its order, and the clock goes on from there', async () => {
    const draws = { 'Date.now': [VIRTUAL_RUN_START + 10, 2, 30, 1], Date: [VIRTUAL_RUN_START + 7_000, 1] };
    const report = await virtualRun(
      async () => {
        const reads = [Date.now(), Date.parse(new Date().toISOString()), Date.now(), Date.now()];
        await turn();
        return [...reads, Date.now()].map((timeMs) => timeMs - VIRTUAL_RUN_START);
      },
      { draws },
    );
    expect(report.value?.slice(0, 4)).toEqual([10, 7_000, 10, 40]);
    expect(report.value?.[4]).toBeGreaterThanOrEqual(7_000);
    expect(report.notes.join()).toContain('Clock reads that were not recorded');
  });

  it('need no note where they are all there is', async () => {
    const report = await virtualRun(() => Date.now(), { draws: { 'Date.now': [5, 1] } });
    expect(report.value).toBe(5);
    expect(report.notes.join()).not.toContain('Clock');
  });
});

describe('reads of clocks that only run forward', () => {
  const timeOriginMs = VIRTUAL_RUN_START - 250.25;
  const ticks = { timeOriginMs, hrtimeNano: '9007199254740993' };

  it('are read again to the nanosecond, each by its function and in its order', async () => {
    const draws = {
      'performance.now': [250_300_001, 1_234_567],
      'process.hrtime': [250_400_000, 1, 999_999_999],
      'process.uptime': [260_000_001],
      ticks,
    };
    const { value, notes } = await virtualRun(
      () => {
        const [start, bigint] = [performance.now(), process.hrtime.bigint()];
        const before = process.hrtime();
        const since = process.hrtime(before);
        const { timeOrigin } = performance;
        return { start, took: performance.now() - start, bigint, before, since, uptime: process.uptime(), timeOrigin };
      },
      { draws },
    );
    expect(value).toEqual({
      start: 250.300001,
      took: 251.534568 - 250.300001,
      bigint: 9007199254740993n + 250_400_000n,
      before: [9_007_199, 505_140_994],
      since: [0, 999_999_999],
      uptime: 0.260000001,
      timeOrigin: timeOriginMs,
    });
    expect(notes.join()).not.toContain('Clock');
  });

  it('go on from there where the run reads more often than it did, and never backwards', async () => {
    const { value, notes } = await virtualRun(
      async () => {
        const reads = [performance.now(), performance.now(), performance.timeOrigin + performance.now() - Date.now()];
        await new Promise((resolve) => setTimeout(resolve, 60_000));
        return [...reads, performance.now()];
      },
      { draws: { 'performance.now': [251_000_000], ticks } },
    );
    const [first = -1, second = -1, off = -1, later = -1] = value ?? [];
    expect(first).toBe(251);
    expect(second).toBeGreaterThanOrEqual(251);
    expect(Math.abs(off)).toBeLessThan(1_000);
    expect(later).toBeGreaterThanOrEqual(60_250);
    expect(later).toBeLessThan(70_000);
    expect(notes.join()).toContain('Clock reads that were not recorded');
  });
});
