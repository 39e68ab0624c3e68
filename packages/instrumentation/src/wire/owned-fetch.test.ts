import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FetchOwner, installOwnedFetch, type OwnedRequest, tool, withFetchOwner } from '../index.ts';
import { RecordedCalls } from '../testing/index.ts';
import { isWireOwned } from './owned-wire.ts';

const platformFetch = globalThis.fetch;
let undo: () => void = () => undefined;
let sent: boolean[] = [];

beforeEach(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  sent = [];
  globalThis.fetch = async () => {
    sent.push(isWireOwned(context.active()));
    return new Response('answer');
  };
  undo = installOwnedFetch();
});
afterEach(() => {
  undo();
  globalThis.fetch = platformFetch;
  context.disable();
});

/** Passes every request on and remembers it. */
class Watching implements FetchOwner {
  readonly requests: OwnedRequest[] = [];

  fetch(request: OwnedRequest, send: () => Promise<Response>): Promise<Response> {
    this.requests.push(request);
    return send();
  }
}

function owned<Result>(owner: FetchOwner, act: () => Result): Result {
  return context.with(withFetchOwner(context.active(), owner), act);
}

describe('a fetch with an owner', () => {
  it('is told whole, once, also where fetch was patched twice, and is sent as one that somebody keeps', async () => {
    const again = globalThis.fetch;
    globalThis.fetch = (...parameters) => again(...parameters);
    const undoAgain = installOwnedFetch();
    const owner = new Watching();
    const request = new Request('http://shop.test/orders', { method: 'post', headers: { a: 'b' } });
    await owned(owner, () => fetch(request, { body: 'order' }));
    undoAgain();
    expect(owner.requests).toMatchObject([{ method: 'POST', url: 'http://shop.test/orders', body: 'order' }]);
    expect(owner.requests[0]?.headers.get('a')).toBe('b');
    expect(sent).toEqual([true]);
  });

  it('that a crossing inside makes is that crossing’s own', async () => {
    const detach = new RecordedCalls().attach();
    const owner = new Watching();
    const search = tool('search', async () => (await fetch('http://shop.test/')).text());
    expect(await owned(owner, () => search())).toBe('answer');
    detach();
    expect(owner.requests).toEqual([]);
    expect(sent).toEqual([false]);
  });

  it('without an owner is the platform’s, and undone it is that very function', async () => {
    const before = globalThis.fetch;
    expect(installOwnedFetch()).toBeTypeOf('function');
    expect(globalThis.fetch).toBe(before);
    await fetch('http://shop.test/');
    expect(sent).toEqual([false]);
    undo();
    expect(globalThis.fetch).not.toBe(before);
  });
});
