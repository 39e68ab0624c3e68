import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { argumentGiven, writtenArgument } from './given-argument.ts';

const trees = fc.letrec((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(1, 'a', null, undefined, true),
    fc.array(tie('tree'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__', '1'), tie('tree'), { noNullPrototype: true }),
    fc.array(fc.tuple(fc.constantFrom('a', 'b', 1), tie('tree'))).map((entries) => new Map(entries)),
    fc.array(fc.constantFrom(1, 2, 'a')).map((values) => new Set(values)),
    fc.uint8Array({ maxLength: 3 }),
  ),
})).tree;

describe('writing what was recorded into a parameter', () => {
  it('makes it that, whatever it was, and keeps it the very object wherever both are of one kind', () => {
    fc.assert(
      fc.property(trees, trees, (argument, recorded) => {
        const wanted = structuredClone(recorded);
        const shown = JSON.stringify(recorded);
        const given = writtenArgument(argument, recorded);
        expect(given).toStrictEqual(wanted);
        expect(JSON.stringify(given)).toBe(shown);
        if (Array.isArray(argument) && Array.isArray(recorded)) expect(given).toBe(argument);
      }),
    );
  });

  it('makes two of what had been one, and one of what had been two', () => {
    const shared = { n: 1 };
    const two = writtenArgument({ a: shared, b: shared }, { a: { n: 2 }, b: { n: 3 } });
    expect(two).toStrictEqual({ a: { n: 2 }, b: { n: 3 } });
    const again = { n: 4 };
    const one = writtenArgument({ a: { n: 1 }, b: { n: 1 } }, { a: again, b: again }) as { a: object; b: object };
    expect(one).toStrictEqual({ a: { n: 4 }, b: { n: 4 } });
    expect(one.a).toBe(one.b);
  });

  it('finds a parameter by what it is, not by what it looks like', () => {
    const parameter = { n: 1 };
    expect(argumentGiven([1, parameter], parameter)).toBe(1);
    expect(argumentGiven([1, parameter], { n: 1 })).toBeUndefined();
    expect(argumentGiven([1, 'a'], 'a')).toBeUndefined();
  });
});
