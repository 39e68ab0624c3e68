import { describe, expect, it } from 'vitest';
import { RecentDeletions } from './recent-deletions.ts';

/** What a reader of a tenant is told that was told of changes up to one. */
function toldTo(deletions: RecentDeletions, tenant: string, change: number): string[] {
  const told: string[] = [];
  for (let number = deletions.numberBefore(change); ; ) {
    const next = deletions.next(tenant, number);
    if (next.deletion === undefined) return told;
    told.push(...next.deletion.traceIds);
    number = next.number;
  }
}

describe('deletions that are remembered', () => {
  it('are told to their tenant, where it may not know of them', () => {
    const deletions = new RecentDeletions(100);
    expect(toldTo(deletions, 'shop', 0)).toEqual([]);
    const first = [
      ['shop', 'a'],
      ['bank', 'b'],
      ['shop', 'c'],
    ] as const;
    deletions.add(first, 5);
    deletions.add([['shop', 'd']], 9);
    expect(toldTo(deletions, 'shop', 5)).toEqual(['a', 'c', 'd']);
    expect(toldTo(deletions, 'bank', 5)).toEqual(['b']);
    expect(toldTo(deletions, 'shop', 6)).toEqual(['d']);
    expect(toldTo(deletions, 'shop', 10)).toEqual([]);
  });

  it('are forgotten, the oldest first, where they are too many', () => {
    const deletions = new RecentDeletions(3);
    for (const traceId of ['a', 'b', 'c', 'd']) deletions.add([['shop', traceId]], 1);
    expect(toldTo(deletions, 'shop', 0)).toEqual(['b', 'c', 'd']);
    const many = ['e', 'f', 'g', 'h'].map((traceId) => ['shop', traceId] as const);
    deletions.add(many, 2);
    expect(toldTo(deletions, 'shop', 0)).toEqual([]);
    deletions.add([['shop', 'i']], 3);
    expect(toldTo(deletions, 'shop', 0)).toEqual(['i']);
  });

  it('are told of as they come', () => {
    const deletions = new RecentDeletions(3);
    let count = 0;
    deletions.onAdded(() => {
      count += 1;
    });
    deletions.add([['shop', 'a']], 1);
    expect(count).toBe(1);
  });
});
