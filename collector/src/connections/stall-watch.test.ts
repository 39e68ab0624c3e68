import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { watchStall } from './stall-watch.ts';

const TIMES = { stallMs: 1000, timeMaxMs: 10_000 };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

it('tells of what moves no more, and of nothing that moves or is over', async () => {
  const told: string[] = [];
  const watch = watchStall(TIMES, ({ message }) => told.push(message));
  vi.advanceTimersByTime(900);
  watch.moved();
  vi.advanceTimersByTime(900);
  await nextTurn();
  expect(told).toEqual([]);
  vi.advanceTimersByTime(100);
  await nextTurn();
  expect(told).toEqual([expect.stringContaining('1000 ms')]);
  const over = watchStall(TIMES, ({ message }) => told.push(message));
  over.stop();
  vi.advanceTimersByTime(5000);
  await nextTurn();
  expect(told).toHaveLength(1);
});

it('is late itself where the process was held up: what has come meanwhile counts', async () => {
  const told: string[] = [];
  const watch = watchStall(TIMES, ({ message }) => told.push(message));
  vi.advanceTimersByTime(1000);
  watch.moved();
  await nextTurn();
  expect(told).toEqual([]);
  vi.advanceTimersByTime(1000);
  await nextTurn();
  expect(told).toHaveLength(1);
});

it('tells of what moves all the time and does not end', async () => {
  const told: string[] = [];
  const watch = watchStall(TIMES, ({ message }) => told.push(message));
  for (let ms = 0; ms < 20_000; ms += 900) {
    vi.advanceTimersByTime(900);
    watch.moved();
    await nextTurn();
  }
  expect(told).toEqual([expect.stringContaining('10000 ms')]);
});
