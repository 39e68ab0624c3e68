import os, { freemem, hostname } from 'node:os';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { installDrawRecording } from '@reenact/instrumentation';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { virtualRun } from '../../testdata/virtual-run.ts';

beforeAll(() => void context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable()));
afterAll(() => context.disable());

const draws = {
  'os.hostname': ['"web-7"'],
  'os.freemem': ['1024', '2048'],
  'process.memoryUsage': ['{"rss":7,"heapTotal":6,"heapUsed":5,"external":4,"arrayBuffers":3}'],
  'process.memoryUsage.rss': ['8'],
};

it('what the machine and the process say of themselves is what they said', async () => {
  const { value, notes } = await virtualRun(
    () => [hostname(), freemem(), os.freemem(), process.memoryUsage().heapUsed, process.memoryUsage.rss()],
    { draws },
  );
  expect([value, notes]).toEqual([['web-7', 1024, 2048, 5, 8], []]);
});

it('what does not change is so wherever it is asked for, and all else is real beyond the recorded', async () => {
  const { value } = await virtualRun(() => [os.hostname(), os.hostname(), os.freemem(), os.freemem(), os.freemem()], {
    draws,
  });
  expect(value?.slice(0, 4)).toEqual(['web-7', 'web-7', 1024, 2048]);
  expect(value?.[4]).toBeGreaterThan(4096);
});

it('is real outside of the replay, in what was recorded before, and behind it', async () => {
  const [host, { rss }] = [os.hostname(), process.memoryUsage];
  const { value } = await virtualRun(() => os.hostname(), { draws: {} });
  await virtualRun(() => undefined, { draws });
  expect([value, os.hostname(), process.memoryUsage.rss === rss]).toEqual([host, host, true]);
});

it('is recorded of a replay, too', async () => {
  const stop = installDrawRecording({ environment: {} });
  try {
    const { value } = await virtualRun(() => os.hostname(), { draws });
    expect(value).toBe('web-7');
  } finally {
    stop();
  }
});
