import { expect, it } from 'vitest';
import { IdleTime, mayGoOn } from './idle-time.ts';
import { RECOMPRESS_IDLE_BYTES, RECOMPRESS_IDLE_MS, RECOMPRESS_SUMMARY_BYTES } from './limits.ts';

it('is not idle at the start, and some seconds after load, however much that was', () => {
  const idle = new IdleTime(0);
  expect(idle.begin(RECOMPRESS_IDLE_MS - 1)).toBe(false);
  expect(idle.begin(RECOMPRESS_IDLE_MS)).toBe(true);
  idle.noteBytes(1e12, 20_000);
  expect(idle.begin(20_000 + RECOMPRESS_IDLE_MS - 1)).toBe(false);
  expect(idle.begin(20_000 + RECOMPRESS_IDLE_MS)).toBe(true);
});

it('stays idle with a trickle', () => {
  const idle = new IdleTime(0);
  const perSecond = (RECOMPRESS_IDLE_BYTES / RECOMPRESS_IDLE_MS) * 900;
  for (let second = 0; second < 600; second += 1) idle.noteBytes(perSecond, second * 1000);
  expect(idle.begin(600_000)).toBe(true);
});

it('has what is done in idle time break off at once when more comes, or when somebody wants something', () => {
  const idle = new IdleTime(0);
  idle.begin(60_000);
  idle.noteBytes(RECOMPRESS_IDLE_BYTES, 60_000);
  expect(mayGoOn(idle.memory)).toBe(true);
  idle.noteBytes(1, 60_000);
  expect(mayGoOn(idle.memory)).toBe(false);
  expect(idle.begin(120_000) && mayGoOn(idle.memory)).toBe(true);
  idle.giveWay();
  expect(mayGoOn(idle.memory)).toBe(false);
});

it('counts summaries that are caught up with as load', () => {
  const idle = new IdleTime(0);
  idle.begin(60_000);
  idle.noteSummaries(RECOMPRESS_IDLE_BYTES / RECOMPRESS_SUMMARY_BYTES, 60_000);
  expect(mayGoOn(idle.memory)).toBe(true);
  idle.noteSummaries(1, 60_000);
  expect([mayGoOn(idle.memory), idle.begin(60_000)]).toEqual([false, false]);
});
