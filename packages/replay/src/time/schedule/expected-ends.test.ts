import { buildRecording } from '@reenact/recordings/testing';
import { describe, expect, it } from 'vitest';
import { ExpectedEnds } from './expected-ends.ts';

function crossings() {
  const { crossings } = buildRecording({
    label: 'agent:a',
    children: [
      { label: 'tool:first', settled: 3 },
      { label: 'tool:second', settled: 7 },
      { label: 'tool:pending', settled: 1, outcome: 'pending' },
    ],
  });
  const [, first, second, pending] = crossings;
  if (first === undefined || second === undefined || pending === undefined) throw new TypeError('three were built');
  return { first, second, pending };
}

describe('ends that are still to come', () => {
  it('are before what has a higher number, until they have come', () => {
    const { first, second } = crossings();
    const ends = new ExpectedEnds();
    ends.made(first, first.settled);
    ends.made(second, second.settled);
    expect([3, 4].map((order) => ends.isBefore(order))).toEqual([false, true]);
    ends.ended(first);
    expect([7, 7.5].map((order) => ends.isBefore(order))).toEqual([false, true]);
    ends.giveUp(8);
    expect(ends.isBefore(100)).toBe(false);
  });

  it('are none of a call that never ended when it was recorded', () => {
    const ends = new ExpectedEnds();
    const { pending } = crossings();
    ends.made(pending, pending.settled);
    expect(ends.isBefore(100)).toBe(false);
  });

  it('are none of a call whose end is counted elsewhere', () => {
    const ends = new ExpectedEnds();
    ends.made(crossings().first, undefined);
    expect(ends.isBefore(100)).toBe(false);
  });
});
