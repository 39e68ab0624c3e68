import { AsyncLocalStorage } from 'node:async_hooks';
import timers, { setTimeout as imported } from 'node:timers';
import { promisify } from 'node:util';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { stacksOfTimers } from '@reenact/instrumentation/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { virtualRun } from '../../testdata/virtual-run.ts';
import { RealWork } from '../schedule/real-work.ts';

beforeAll(async () => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  // Virtual time waits for work outside JavaScript, and test files of one process share that: a program of the file before may still be ending.
  await vi.waitFor(() => expect(new RealWork().isGoingOn()).toBe(false), { timeout: 30_000 });
}, 40_000);

afterAll(() => {
  context.disable();
});

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('timers of a replayed run', () => {
  it('fire in the order of virtual time, whatever order they are set in, without waiting', async () => {
    const delays = fc.array(fc.integer({ min: 1, max: 600_000 }), { minLength: 1, maxLength: 25, size: 'max' });
    await fc.assert(
      fc.asyncProperty(delays, async (given) => {
        const fired: number[] = [];
        const startedAt = performance.now();
        await virtualRun(() => Promise.all(given.map((ms, index) => sleep(ms).then(() => fired.push(index)))));
        const expected = given.map((_, index) => index).sort((left, right) => (given[left] ?? 0) - (given[right] ?? 0));
        expect(fired).toEqual(expected);
        // Nearly every list has a delay far above it.
        expect(performance.now() - startedAt).toBeLessThan(15_000);
      }),
      { numRuns: 30 },
    );
  });

  it('read a clock that is at least as late as they were to fire', async () => {
    const { value } = await virtualRun(async () => {
      const [date, monotonic, high] = [Date.now(), performance.now(), process.hrtime.bigint()];
      await sleep(90_000);
      return [Date.now() - date, performance.now() - monotonic, Number(process.hrtime.bigint() - high) / 1e6];
    });
    for (const passedMs of value ?? []) {
      expect(passedMs).toBeGreaterThanOrEqual(90_000);
      expect(passedMs).toBeLessThan(91_000);
    }
    expect(value).toHaveLength(3);
  });

  it('are set by every name they have', async () => {
    const { value } = await virtualRun(async () => {
      const startedAt = Date.now();
      await new Promise((resolve) => imported(resolve, 10_000));
      await new Promise((resolve) => timers.setTimeout(resolve, 10_000));
      await promisify(setTimeout)(10_000);
      await new Promise((resolve) => globalThis.setTimeout(resolve, 10_000));
      return Date.now() - startedAt;
    });
    expect(value).toBeGreaterThanOrEqual(40_000);
  });
});

describe('callbacks of timers in a replayed run', () => {
  it('get their parameters, and the context in which they were set', async () => {
    const storage = new AsyncLocalStorage<string>();
    const { value } = await virtualRun(
      () =>
        new Promise((resolve) => {
          storage.run('set here', () =>
            setTimeout((...given) => resolve([...given, storage.getStore()]), 5_000, 'a', 2),
          );
        }),
    );
    expect(value).toEqual(['a', 2, 'set here']);
  });

  it('are called again and again until they are cleared, also from inside', async () => {
    const { value } = await virtualRun(
      () =>
        new Promise<number[]>((resolve) => {
          const beats: number[] = [];
          const startedAt = Date.now();
          const timer = setInterval(() => {
            beats.push(Math.round((Date.now() - startedAt) / 1_000));
            if (beats.length < 4) return;
            clearInterval(timer);
            resolve(beats);
          }, 30_000);
        }),
    );
    expect(value).toEqual([30, 60, 90, 120]);
  });

  it('leave the lines of the platform in the stacks of errors that are made there, and none of ours', async () => {
    const { value } = await virtualRun(stacksOfTimers);
    expect(value).toEqual(await stacksOfTimers());
    expect(value?.[0]).toContain('listOnTimeout');
  });

  it('have to be functions, as the platform says', async () => {
    const { error } = await virtualRun(() => Reflect.apply(setTimeout, undefined, ['no function', 1]));
    expect(error).toMatchObject({ code: 'ERR_INVALID_ARG_TYPE' });
  });
});

describe('AbortSignal.timeout', () => {
  it('aborts in virtual time with the error of the platform', async () => {
    const { value } = await virtualRun(async () => {
      const startedAt = Date.now();
      const signal = AbortSignal.timeout(20_000);
      await Promise.race([new Promise((resolve) => signal.addEventListener('abort', resolve)), sleep(60_000)]);
      return { reason: signal.reason as unknown, tookMs: Date.now() - startedAt };
    });
    const real = AbortSignal.timeout(1);
    await new Promise((resolve) => real.addEventListener('abort', resolve));
    expect(value?.reason).toBeInstanceOf(DOMException);
    expect(String(value?.reason)).toBe(String(real.reason));
    expect(value?.tookMs).toBeGreaterThanOrEqual(20_000);
    expect(value?.tookMs).toBeLessThan(60_000);
  });
});

describe('code outside the replay', () => {
  it('keeps real timers and a real clock while one goes on', async () => {
    const realBefore = Date.now();
    const beside: number[] = [];
    const { value } = await virtualRun(async () => {
      await sleep(3_000_000);
      return Date.now();
    });
    await new Promise<void>((resolve) => {
      const startedAt = performance.now();
      setTimeout(() => {
        beside.push(performance.now() - startedAt);
        resolve();
      }, 20);
    });
    expect(value).not.toBeCloseTo(realBefore, -5);
    expect(Date.now() - realBefore).toBeLessThan(60_000);
    expect(beside[0]).toBeGreaterThanOrEqual(19);
  });
});
