import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { MemberPatcher } from './member-patcher.ts';

const members = new MemberPatcher(Symbol.for('reenact.test.patched'));

class Greeter {
  greet(name: string): string {
    return `Hello ${name}`;
  }
}
type Greet = Greeter['greet'];

const louder = (original: Greet): Greet => {
  return function greet(this: unknown, name) {
    return `${Reflect.apply(original, this, [name])}!`;
  };
};

describe('a patched member', () => {
  it('is known by its mark, also to another copy, and gives the original', () => {
    const { greet } = Greeter.prototype;
    const undo = members.patch<Greet>(Greeter.prototype, 'greet', louder);
    const patched = Greeter.prototype.greet;
    expect(new Greeter().greet('Ada')).toBe('Hello Ada!');
    expect(new MemberPatcher(Symbol.for('reenact.test.patched')).isPatched(patched)).toBe(true);
    expect(new MemberPatcher(Symbol.for('reenact.other.patched')).isPatched(patched)).toBe(false);
    expect([members.unpatched(patched), members.unpatched(greet)]).toEqual([greet, greet]);
    undo();
    expect(Object.getOwnPropertyDescriptor(Greeter.prototype, 'greet')).toEqual({
      value: greet,
      writable: true,
      configurable: true,
      enumerable: false,
    });
  });

  it('is not known in another context of node:vm, whose gate knows nothing of the runs in this one', () => {
    const make = `(original) => function greet(name) { return Reflect.apply(original, this, [name]) + '!' }`;
    const undo = members.patch<Greet>(Greeter.prototype, 'greet', runInNewContext(make) as typeof louder);
    expect(new Greeter().greet('Ada')).toBe('Hello Ada!');
    expect(members.isPatched(Greeter.prototype.greet)).toBe(false);
    undo();
  });

  it('is known below what other instrumentations have put around it, as OpenTelemetry marks that, and only there', () => {
    const undo = members.patch<Greet>(Greeter.prototype, 'greet', louder);
    const wrapped: Greet = (name) => new Greeter().greet(name);
    Object.defineProperty(wrapped, '__original', { value: Greeter.prototype.greet });
    const twice = Object.defineProperty((name: string) => wrapped(name), '__original', { value: wrapped });
    const circle: object = Object.defineProperty(() => '', '__original', { get: () => circle });
    const throwing = Object.defineProperty(() => '', '__original', {
      get: () => {
        throw new TypeError('theirs');
      },
    });
    const found = [wrapped, twice, (name: string) => wrapped(name), circle, throwing].map((value) =>
      members.isPatched(value),
    );
    expect(found).toEqual([true, true, false, false, false]);
    undo();
  });

  it('is removed again where it was inherited', () => {
    const greeter = new Greeter();
    const undo = members.patch<Greet>(greeter, 'greet', louder);
    expect([greeter.greet('Ada'), new Greeter().greet('Ada')]).toEqual(['Hello Ada!', 'Hello Ada']);
    expect(Object.keys(greeter)).toEqual([]);
    undo();
    expect(Object.hasOwn(greeter, 'greet')).toBe(false);
  });

  it('is left alone once somebody else has replaced it, and comes back as it was, read-only and all', () => {
    const own: { greet: Greet } = Object.defineProperty({ greet: () => 'own' }, 'greet', { writable: false });
    const undo = members.patch<Greet>(own, 'greet', louder);
    const patched = Object.getOwnPropertyDescriptor(own, 'greet') ?? {};
    own.greet = () => 'theirs';
    undo();
    expect(own.greet('Ada')).toBe('theirs');
    Object.defineProperty(own, 'greet', patched);
    undo();
    expect(Object.getOwnPropertyDescriptor(own, 'greet')).toMatchObject({ writable: false, enumerable: true });
  });
});
