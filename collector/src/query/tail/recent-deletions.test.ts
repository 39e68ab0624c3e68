import { describe, expect, it } from 'vitest';
import { RecentDeletions } from './recent-deletions.ts';

/** What a reader of a tenant is told that comes back with a place; undefined where that is not remembered. */
function toldTo(deletions: RecentDeletions, tenant: string, place: string): string[] | undefined {
  const told: string[] = [];
  let number = deletions.numberAt(place);
  while (number !== undefined) {
    const next = deletions.next(tenant, number);
    if (next.deletion === undefined) return told;
    told.push(...next.deletion.traceIds);
    number = next.number;
  }
  return undefined;
}

const placeOf = (deletions: RecentDeletions): string => deletions.placeOf(deletions.lastNumber);

describe('deletions that are remembered', () => {
  it('are told to their tenant, where it does not know of them', () => {
    const deletions = new RecentDeletions(100);
    const begin = placeOf(deletions);
    expect(toldTo(deletions, 'shop', begin)).toEqual([]);
    const first = [
      ['shop', 'a'],
      ['bank', 'b'],
      ['shop', 'c'],
    ] as const;
    deletions.add(first);
    const middle = placeOf(deletions);
    deletions.add([['shop', 'd']]);
    expect(toldTo(deletions, 'shop', begin)).toEqual(['a', 'c', 'd']);
    expect(toldTo(deletions, 'bank', begin)).toEqual(['b']);
    expect(toldTo(deletions, 'shop', middle)).toEqual(['d']);
    expect(toldTo(deletions, 'shop', placeOf(deletions))).toEqual([]);
  });

  it('are forgotten, the oldest first, where they are too many, which is known', () => {
    const deletions = new RecentDeletions(3);
    const begin = placeOf(deletions);
    deletions.add([['shop', 'a']]);
    const behindFirst = placeOf(deletions);
    for (const traceId of ['b', 'c', 'd']) deletions.add([['shop', traceId]]);
    expect(toldTo(deletions, 'shop', begin)).toBeUndefined();
    expect(toldTo(deletions, 'shop', behindFirst)).toEqual(['b', 'c', 'd']);
    deletions.add(['e', 'f', 'g', 'h'].map((traceId) => ['shop', traceId] as const));
    expect(toldTo(deletions, 'shop', behindFirst)).toBeUndefined();
    const behindMany = placeOf(deletions);
    deletions.add([['shop', 'i']]);
    expect(toldTo(deletions, 'shop', behindMany)).toEqual(['i']);
  });

  it('are those of one start of a collector', () => {
    const deletions = new RecentDeletions(3);
    expect(deletions.numberAt(placeOf(new RecentDeletions(3)))).toBeUndefined();
    expect(deletions.numberAt(undefined)).toBeUndefined();
    expect(deletions.numberAt(deletions.placeOf(1))).toBeUndefined();
  });

  it('are told of as they come', () => {
    const deletions = new RecentDeletions(3);
    let count = 0;
    deletions.onAdded(() => {
      count += 1;
    });
    deletions.add([['shop', 'a']]);
    expect(count).toBe(1);
  });
});
