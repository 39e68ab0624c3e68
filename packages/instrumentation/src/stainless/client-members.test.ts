import { describe, expect, it } from 'vitest';
import { gatedCredentials } from './client-members.ts';
import type { StainlessClient } from './stainless-client.ts';

const member = { key: 'bearerAuth', served: () => ({}) };

describe('a member of a client that gives credentials', () => {
  it('hands out its own promise where it is asked: by way of ours the client would go on microtasks later', () => {
    const given = Promise.resolve({ Authorization: 'Bearer bench' });
    const gated = gatedCredentials(() => given, member);
    expect(Reflect.apply(gated, {} as StainlessClient, [])).toBe(given);
  });
});
