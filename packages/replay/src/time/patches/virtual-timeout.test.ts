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

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** What happened up to 100 virtual seconds after a timer was set and treated somehow. */
async function firedAfter(treat: (timer: NodeJS.Timeout) => unknown): Promise<number> {
  const { value } = await virtualRun(async () => {
    let fired = 0;
    const timer = setTimeout(() => {
      fired += 1;
    }, 10_000);
    treat(timer);
    await sleep(100_000);
    return fired;
  });
  return value ?? -1;
}

describe('a virtual timer', () => {
  it('is an instance of the class of real ones', async () => {
    const real = setTimeout(() => undefined, 0);
    const { value } = await virtualRun(() => {
      const timer = setTimeout(() => undefined, 1);
      return [timer instanceof real.constructor, timer.constructor.name, typeof timer === 'object'];
    });
    expect(value).toEqual([true, 'Timeout', true]);
    clearTimeout(real);
  });

  it('fires once, and not at all once it was cleared in any way', async () => {
    expect(await firedAfter(() => undefined)).toBe(1);
    expect(await firedAfter((timer) => clearTimeout(timer))).toBe(0);
    expect(await firedAfter((timer) => clearInterval(timer))).toBe(0);
    expect(await firedAfter((timer) => clearTimeout(Number(timer)))).toBe(0);
    expect(await firedAfter((timer) => clearTimeout(String(Number(timer))))).toBe(0);
    expect(await firedAfter((timer) => timer.close())).toBe(0);
    expect(await firedAfter((timer) => timer[Symbol.dispose]())).toBe(0);
  });

  it('tells whether it holds the process', async () => {
    const { value } = await virtualRun(() => {
      const timer = setTimeout(() => undefined, 1);
      const held = [timer.hasRef(), timer.unref() === timer, timer.hasRef(), timer.ref() === timer, timer.hasRef()];
      clearTimeout(timer);
      return held;
    });
    expect(value).toEqual([true, true, false, true, true]);
  });

  it('starts over when it is refreshed, also after it has fired, but not once it was cleared', async () => {
    const { value } = await virtualRun(async () => {
      const fired: string[] = [];
      const early = setTimeout(() => fired.push('refreshed'), 10_000);
      await sleep(8_000);
      early.refresh();
      await sleep(8_000);
      fired.push('16 s');
      await sleep(4_000);
      early.refresh();
      await sleep(12_000);
      clearTimeout(early);
      early.refresh();
      await sleep(30_000);
      return fired;
    });
    expect(value).toEqual(['16 s', 'refreshed', 'refreshed']);
  });

  it('is cleared by its number only as long as it waits', async () => {
    const { value } = await virtualRun(async () => {
      const timer = setTimeout(() => undefined, 1_000);
      const number = Number(timer);
      expect(Number(timer)).toBe(number);
      await sleep(5_000);
      clearTimeout(number);
      clearTimeout(undefined);
      clearTimeout(987_654_321);
      return 'done';
    });
    expect(value).toBe('done');
  });
});
