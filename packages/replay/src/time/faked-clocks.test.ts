import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { virtualRun } from '../testdata/virtual-run.ts';

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});

afterAll(() => {
  vi.useRealTimers();
  context.disable();
});

it('a replay takes the place of the clocks and timers that a test has faked, and gives them back', async () => {
  vi.useFakeTimers({ now: 5 });
  const fakes = [Date, performance, setTimeout];
  const { value } = await virtualRun(async () => {
    const before = performance.now();
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    return { passedMs: performance.now() - before, at: Date.now() };
  });
  expect(value?.passedMs).toBeGreaterThanOrEqual(1_000);
  expect(value?.at).toBeGreaterThan(5);
  expect([Date, performance, setTimeout]).toEqual(fakes);
  expect([Date.now(), performance.now()]).toEqual([5, 0]);
});
