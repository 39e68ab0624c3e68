import { describe, expect, it } from 'vitest';
import { ERROR_ERRORS_MAX } from '../limits.ts';
import { registerErrorClass } from './error-record.ts';
import { decodeValue, encodeValue } from './value-codec.ts';

function roundTrip(value: unknown): unknown {
  return decodeValue(encodeValue(value).payload);
}

describe('errors that name others', () => {
  it('come back as many as they were, in a list and in a chain', () => {
    const list = Array.from({ length: 20 }, (_, number) => new Error(`attempt ${number}`));
    const again = roundTrip(new AggregateError(list, 'all failed')) as AggregateError;
    expect(again.errors.map(({ message }: Error) => message)).toEqual(list.map(({ message }) => message));
  });

  it('are marked where the chain is longer than is kept, and where fields are left out', () => {
    const chain = (length: number): Error => new Error(`${length}`, length === 0 ? {} : { cause: chain(length - 1) });
    expect(encodeValue(chain(16)).lossy).toEqual([]);
    expect(encodeValue(chain(17)).lossy).toEqual([`${'/cause'.repeat(17)} too-deep`]);
    const fields = Object.fromEntries(Array.from({ length: 65 }, (_, number) => [`f${number}`, number]));
    expect(encodeValue([Object.assign(new Error('x'), fields)]).lossy).toEqual(['/0 too-many-fields']);
  });

  it('are marked where the stack is no text, as under an `Error.prepareStackTrace` that gives call sites', () => {
    const error = new Error('x');
    Object.defineProperty(error, 'stack', { value: [{ getFileName: () => 'a.js' }] });
    expect(encodeValue([error]).lossy).toEqual(['/0/stack not-text']);
    Object.defineProperty(error, 'stack', { value: undefined });
    expect(encodeValue([error]).lossy).toEqual([]);
  });

  it('keep under `errors` also what is no list, and what is called as the platform calls it elsewhere', () => {
    const ofForm = Object.assign(new Error('validation failed'), { errors: { shares: { kind: 'min' } }, code: 7 });
    const hidden = Object.defineProperty(new Error('gone'), 'error', { value: { status: 429 } });
    const [form, gone] = roundTrip([ofForm, hidden]) as [typeof ofForm, { error: unknown }];
    expect(Object.entries(form)).toEqual(Object.entries(ofForm));
    expect([Object.keys(gone), gone.error]).toEqual([[], { status: 429 }]);
  });

  it('come back in a circle, and cost what they hold', () => {
    const attempts = Array.from({ length: 12 }, (_, number) => new Error(`attempt ${number}`));
    const all = new AggregateError(attempts, 'all failed');
    for (const attempt of attempts) attempt.cause = all;
    const { payload, lossy } = encodeValue(all);
    expect(lossy).toEqual([]);
    const again = decodeValue(payload) as AggregateError;
    expect(again.errors.map(({ cause }: Error) => cause === again)).toEqual(attempts.map(() => true));
    const own = new Error('itself');
    own.cause = own;
    const back = roundTrip(own) as Error;
    expect(back.cause).toBe(back);
  });

  it('end where there are more ways through them than anybody could read', () => {
    let error = new AggregateError([], 'innermost');
    for (let depth = 0; depth < 15; depth += 1) error = new AggregateError([error, error, error], `depth ${depth}`);
    const { payload, lossy } = encodeValue(error);
    expect((payload.data ?? '').length).toBeLessThan(10_000_000);
    expect(lossy).toEqual([expect.stringMatching(/ too-large$/)]);
  });

  it.runIf('SuppressedError' in globalThis)('come back with what disposing of them threw', () => {
    const Suppressed: unknown = Reflect.get(globalThis, 'SuppressedError');
    if (typeof Suppressed !== 'function') return;
    const error: unknown = Reflect.construct(Suppressed, [
      new RangeError('at the end'),
      new TypeError('before'),
      'both',
    ]);
    const { payload, lossy } = encodeValue(error);
    expect(lossy).toEqual([]);
    const again = decodeValue(payload) as { readonly error: unknown; readonly suppressed: unknown };
    expect(again).toBeInstanceOf(Suppressed);
    expect(Object.keys(again)).toEqual([]);
    expect([again.error, again.suppressed]).toEqual([new RangeError('at the end'), new TypeError('before')]);
  });
});

describe('errors whose classes have one name', () => {
  it('of two libraries that name a class alike come back as their own', () => {
    const [first, second] = ['first', 'second'].map((library) => {
      const { APIError } = { APIError: class extends Error {} };
      registerErrorClass(APIError, library);
      return APIError;
    });
    for (const APIError of [first, second]) {
      const back = decodeValue(encodeValue(new (APIError ?? Error)('overloaded')).payload);
      expect(Object.getPrototypeOf(back)).toBe(APIError?.prototype);
    }
  });

  it('of a class of the application that is named as a library’s come back as no instance of it, and are marked lossy', () => {
    const OfLibrary = { NotFoundError: class extends Error {} }.NotFoundError;
    const OfApplication = { NotFoundError: class extends Error {} }.NotFoundError;
    registerErrorClass(OfLibrary, 'a-library');
    const { payload, lossy } = encodeValue(new OfApplication('no such ticket'));
    expect(lossy).toEqual(['/ error-class NotFoundError']);
    const back = decodeValue(payload) as Error;
    expect(back).not.toBeInstanceOf(OfLibrary);
    expect(back.constructor.name).toBe('NotFoundError');
  });

  it('of a class that only has the name of a registered one come back as no instance of it', () => {
    const Registered = { t: class extends Error {} }.t;
    const Another = { t: class extends Error {} }.t;
    registerErrorClass(Registered);
    const { payload, lossy } = encodeValue(new Another('minified'));
    expect(lossy).toEqual(['/ error-class t']);
    expect(decodeValue(payload)).not.toBeInstanceOf(Registered);
    expect(decodeValue(encodeValue(new Registered('minified')).payload)).toBeInstanceOf(Registered);
  });

  it('of a class that was registered after the recording come back as its instances', () => {
    const Late = { RegisteredLate: class extends Error {} }.RegisteredLate;
    const { payload } = encodeValue(new Late('x'));
    registerErrorClass(Late);
    expect(decodeValue(payload)).toBeInstanceOf(Late);
  });

  it('of a library and of the user come back as their own', () => {
    const OfUser = { Late: class Late extends Error {} }.Late;
    const OfLibrary = { Late: class Late extends Error {} }.Late;
    registerErrorClass(OfUser);
    registerErrorClass(OfLibrary, 'a-driver');
    expect(decodeValue(encodeValue(new OfUser('x')).payload)).toBeInstanceOf(OfUser);
    expect(decodeValue(encodeValue(new OfLibrary('x')).payload)).toBeInstanceOf(OfLibrary);
  });
});

describe('errors of programs that take liberties', () => {
  it('keep a message that is no text', () => {
    const answered = new TypeError('text');
    Object.assign(answered, { message: { code: 7 } });
    const again = roundTrip(answered) as Error;
    expect([again.message, Object.keys(again), again instanceof TypeError]).toEqual([{ code: 7 }, [], true]);
    const shown = Object.defineProperty(new Error(''), 'message', { value: ['a'], enumerable: true });
    expect(Object.entries(roundTrip(shown) as Error)).toEqual([['message', ['a']]]);
  });
});

describe('a list of errors', () => {
  it('is marked where it is longer than is kept', () => {
    const many = (count: number): Error => new AggregateError(Array.from({ length: count }, (_, number) => number));
    expect(encodeValue([many(ERROR_ERRORS_MAX), many(ERROR_ERRORS_MAX + 1)]).lossy).toEqual(['/1/errors too-large']);
  });
});
