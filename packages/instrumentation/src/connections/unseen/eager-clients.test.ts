import { describe, expect, it } from 'vitest';
import { isOfEagerClient, noteEagerClient } from './eager-clients.ts';

describe('a client that connects by itself', () => {
  it('is known by each package that it may be of, for one connection of each attempt', () => {
    const client = { status: 'connecting' };
    let attempt: unknown = 'first';
    noteEagerClient(['one', 'another'], client, () => attempt);
    expect([isOfEagerClient('a third', 'place'), isOfEagerClient('another', 'place')]).toEqual([false, true]);
    expect(isOfEagerClient('one', 'place')).toBe(false);
    attempt = 'second';
    expect(isOfEagerClient('one', 'place')).toBe(true);
  });
});
