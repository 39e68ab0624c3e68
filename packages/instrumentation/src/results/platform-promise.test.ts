import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { isPlatformPromise } from './platform-promise.ts';
import { lostOfPromise } from './result-losses.ts';
import { resultShape } from './result-shape.ts';

class Query {
  // biome-ignore lint/suspicious/noThenProperty: a lazy promise-like is what this is about.
  then(): void {}
  where(): this {
    return this;
  }
}

describe("the platform's promise", () => {
  it.each([
    ['of this realm', Promise.resolve(1)],
    ['of another realm, as inside Jest', runInNewContext('Promise.resolve(1)')],
  ])('is known when it is %s, and nothing of it is lost', (_name, promise: object) => {
    expect([isPlatformPromise(promise), resultShape(promise)]).toEqual([true, 'native-promise']);
    expect(lostOfPromise(promise)).toBeUndefined();
  });

  it.each([
    ['a subclass', new (class Job extends Promise<number> {})((resolve) => resolve(1))],
    ['a subclass of another realm', runInNewContext('new (class Job extends Promise {})((resolve) => resolve(1))')],
    ['a lazy promise-like with methods', new Query()],
    ['one whose constructor was replaced', Object.assign(Promise.resolve(1), { constructor: Query })],
  ])('is not %s, of which something is lost', (_name, promise: object) => {
    expect([isPlatformPromise(promise), resultShape(promise)]).toEqual([false, 'thenable']);
  });

  it('is told apart from what has more to lose', () => {
    expect(lostOfPromise(new Query())).toBe('of class Query');
    const ofElsewhere = runInNewContext('new (class Job extends Promise {})((resolve) => resolve(1))') as object;
    expect(lostOfPromise(ofElsewhere)).toBe('of class Job');
  });
});
