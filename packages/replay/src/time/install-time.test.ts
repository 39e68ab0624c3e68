import nodeCrypto from 'node:crypto';
import timers from 'node:timers';
import promises from 'node:timers/promises';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { suppressTracing } from '@opentelemetry/core';
import { asOwnWork } from '@reenact/instrumentation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { virtualRun } from '../testdata/virtual-run.ts';

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});

afterAll(() => {
  context.disable();
});

const watched: readonly (readonly [string, object, PropertyKey])[] = [
  ...(['Date', 'setTimeout', 'setInterval', 'clearTimeout', 'clearInterval'] as const).map(
    (key) => [`globalThis.${key}`, globalThis, key] as const,
  ),
  ...(['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval'] as const).map(
    (key) => [`timers.${key}`, timers, key] as const,
  ),
  ['timers/promises.setTimeout', promises, 'setTimeout'],
  ['timers/promises.setInterval', promises, 'setInterval'],
  ['scheduler.wait', Object.getPrototypeOf(promises.scheduler) as object, 'wait'],
  ['AbortSignal.timeout', AbortSignal, 'timeout'],
  ['Date.now', Date, 'now'],
  ['Date.prototype.constructor', Date.prototype, 'constructor'],
  ['performance.now', Object.getPrototypeOf(performance) as object, 'now'],
  ['performance.timeOrigin', Object.getPrototypeOf(performance) as object, 'timeOrigin'],
  ['process.hrtime', process, 'hrtime'],
  ['process.hrtime.bigint', process.hrtime, 'bigint'],
  ['process.uptime', process, 'uptime'],
  ['Math.random', Math, 'random'],
  ...(['randomBytes', 'randomFill', 'randomFillSync', 'randomInt', 'randomUUID'] as const).map(
    (key) => [`crypto.${key}`, nodeCrypto, key] as const,
  ),
  ['Crypto.randomUUID', Object.getPrototypeOf(crypto) as object, 'randomUUID'],
  ['Crypto.getRandomValues', Object.getPrototypeOf(crypto) as object, 'getRandomValues'],
];

function descriptors(): [string, PropertyDescriptor | undefined][] {
  return watched.map(([name, owner, key]) => [name, Object.getOwnPropertyDescriptor(owner, key)]);
}

function shownBy(descriptor: PropertyDescriptor | undefined): unknown {
  return descriptor?.value ?? descriptor?.get;
}

describe('what a replay replaces in the platform', () => {
  it('looks like the original while it is in place, and is put back exactly', async () => {
    const before = descriptors();
    const { value } = await virtualRun(descriptors);
    for (const [index, [name, inside]] of (value ?? []).entries()) {
      const original = before[index]?.[1];
      expect([name, shownBy(inside) === shownBy(original)]).toEqual([name, false]);
      expect([name, inside?.enumerable, inside?.configurable, inside?.writable]).toEqual([
        name,
        original?.enumerable,
        original?.configurable,
        original?.writable,
      ]);
    }
    expect(value).toHaveLength(watched.length);
    expect(descriptors()).toEqual(before);
    for (const [index, [name, now]] of descriptors().entries()) {
      expect([name, shownBy(now) === shownBy(before[index]?.[1])]).toEqual([name, true]);
    }
  });

  it('stays until the last of several replays is over', async () => {
    let finish = (): void => undefined;
    const first = virtualRun(() => new Promise<void>((resolve) => (finish = resolve)));
    const { value } = await virtualRun(async () => {
      await new Promise((resolve) => setTimeout(resolve, 600_000));
      return 'waited';
    });
    expect(value).toBe('waited');
    const patched = setTimeout;
    finish();
    await first;
    expect(setTimeout).not.toBe(patched);
  });
});

describe('work that is none of the run', () => {
  it('has real time and real random values, whatever context it runs in', async () => {
    const realNow = Date.now();
    const { value } = await virtualRun(() => ({
      own: asOwnWork(() => [Date.now(), Math.random()]),
      exporter: context.with(suppressTracing(context.active()), () => [Date.now(), Math.random()]),
    }));
    for (const [timeMs = 0] of Object.values(value ?? { none: [] })) {
      expect(Math.abs(timeMs - realNow)).toBeLessThan(60_000);
    }
    const again = await virtualRun(() => asOwnWork(() => Math.random()));
    expect(again.value).not.toBe(value?.own[1]);
  });
});
