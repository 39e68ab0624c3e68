import { setInterval as every, scheduler, setTimeout as wait } from 'node:timers/promises';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { virtualRun } from '../../testdata/virtual-run.ts';

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});

afterAll(() => {
  context.disable();
});

describe('timers/promises in a replayed run', () => {
  it('waits in virtual time and gives its value', async () => {
    const { value } = await virtualRun(async () => {
      const startedAt = Date.now();
      const given = await wait(20_000, 'given');
      await scheduler.wait(20_000);
      return [given, Date.now() - startedAt >= 40_000];
    });
    expect(value).toEqual(['given', true]);
  });

  it('is aborted with the error of the platform, before and while it waits', async () => {
    const reason = new TypeError('enough');
    const real = await wait(1, undefined, { signal: AbortSignal.abort(reason) }).catch((error: unknown) => error);
    const { value } = await virtualRun(async () => {
      const controller = new AbortController();
      setTimeout(() => controller.abort(reason), 5_000);
      const { signal } = controller;
      return [
        await wait(1, undefined, { signal: AbortSignal.abort(reason) }).catch((error: unknown) => error),
        await wait(50_000, undefined, { signal }).catch((error: unknown) => error),
      ];
    });
    for (const error of value ?? []) {
      expect(error).toBeInstanceOf(Error);
      expect(error).toMatchObject({ name: 'AbortError', code: 'ABORT_ERR', cause: reason });
      expect(String(error)).toBe(String(real));
    }
    expect(value).toHaveLength(2);
  });

  it('ticks again and again, loses no tick that nobody waited for, and ends with its signal', async () => {
    const { value } = await virtualRun(async () => {
      const controller = new AbortController();
      const startedAt = Date.now();
      const ticks: number[] = [];
      try {
        for await (const tick of every(10_000, 'tick', { signal: controller.signal })) {
          ticks.push(Math.round((Date.now() - startedAt) / 1_000));
          if (ticks.length === 1) await wait(25_000);
          if (ticks.length === 4) controller.abort();
          expect(tick).toBe('tick');
        }
      } catch (error) {
        return { ticks, error: `${(error as Error).name}` };
      }
      return { ticks, error: 'none' };
    });
    expect(value).toEqual({ ticks: [10, 35, 35, 40], error: 'AbortError' });
  });

  it('stops ticking when the reader leaves', async () => {
    const { value } = await virtualRun(async () => {
      for await (const tick of every(10_000, 'tick')) return tick;
      return 'never';
    });
    expect(value).toBe('tick');
  });

  it('refuses what the platform refuses', async () => {
    const { value } = await virtualRun(() =>
      Reflect.apply(wait, undefined, ['10', undefined]).catch((error: { code: string }) => error.code),
    );
    expect(value).toBe('ERR_INVALID_ARG_TYPE');
  });
});
