import { recordedTimeline } from '@reenact/recordings';
import { buildRecording, type CrossingPlan } from '@reenact/recordings/testing';
import type { Crossing } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import { CompletionOrder } from './completion-order.ts';

function call(startUs: number, endUs: number, settled: number): CrossingPlan {
  return { label: 'model:m', startUs, endUs, settled };
}

function orderOf(...plans: CrossingPlan[]): { order: CompletionOrder; calls: Crossing[] } {
  const recording = buildRecording({ label: 'agent:a', startUs: 0, endUs: 1_000, children: plans });
  const [root, ...calls] = recording.crossings;
  if (root === undefined) throw new TypeError('there is no root');
  return { order: new CompletionOrder(calls, recordedTimeline(root, calls)), calls };
}

/** Whether a promise has settled once everything that is ready has run. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol('pending');
  const later = new Promise((resolve) => setImmediate(() => resolve(pending)));
  return (await Promise.race([promise, later])) !== pending;
}

describe('answers that overlapped', () => {
  it('wait for those that ended before them', async () => {
    const { order, calls } = orderOf(call(10, 300, 2), call(20, 200, 1), call(30, 100, 0));
    const [last, middle, first] = calls as [Crossing, Crossing, Crossing];
    const turns = [order.turnOf(last), order.turnOf(middle)] as const;
    expect(await order.turnOf(first)).toBe(true);
    expect(await isSettled(turns[1])).toBe(false);
    order.ended(first);
    expect(await turns[1]).toBe(true);
    expect(await isSettled(turns[0])).toBe(false);
    order.ended(middle);
    expect(await turns[0]).toBe(true);
  });

  it('go by the counted order where the clock says the same', async () => {
    const { order, calls } = orderOf(call(10, 100, 1), call(10, 100, 0));
    const [second, first] = calls as [Crossing, Crossing];
    expect(await isSettled(order.turnOf(second))).toBe(false);
    expect(await order.turnOf(first)).toBe(true);
  });

  it('give up after a while', async () => {
    const { order, calls } = orderOf(call(10, 300, 1), call(20, 200, 0));
    expect(await order.turnOf(calls[0] as Crossing)).toBe(false);
  });
});

describe('answers that came one after the other', () => {
  it('wait for nobody', async () => {
    const { order, calls } = orderOf(call(10, 20, 0), call(20, 40, 1), call(50, 60, 2));
    for (const crossing of calls.toReversed()) expect(await order.turnOf(crossing)).toBe(true);
  });
});
