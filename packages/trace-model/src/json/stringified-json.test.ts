import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CANONICAL_POLICIES, type CanonicalPolicy, canonicalKey } from '../crossings/canonical-input.ts';
import { isStringified, payloadOf } from '../payloads/payload.ts';
import { encodeValue } from '../values/value-codec.ts';
import { canonicalJson, isTree } from './json-tree.ts';
import { StringifiedJson } from './stringified-json.ts';

// JSON.parse of Node.js 24 may take an escaped key for another one that it has met before, so it says nothing of such keys.
const isTold = (key: string): boolean => JSON.stringify(key) === `"${key}"`;
const awkward = fc.stringMatching(/^[a"\\\n\ud800\u00e9{}[\],:]{0,6}$/);
const keys = fc.oneof(
  fc.constantFrom('a', 'b', 'aa', 'B', '1', '10', '2', '__proto__', 'model', 'user', 'headers', 'body', '$', ''),
  fc.oneof(awkward, fc.string()).filter(isTold),
);
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.oneof(fc.jsonValue({ maxDepth: 0 }), awkward, fc.double(), fc.constantFrom([], {}, [[]], [{}])),
    fc.array(tie('tree'), { maxLength: 4 }),
    fc.dictionary(keys, tie('tree'), { maxKeys: 5, noNullPrototype: true }),
  ),
}));

function parsed(text: string): unknown {
  return JSON.parse(text);
}

describe('StringifiedJson', () => {
  it('gives what canonical JSON is of the parsed text', () => {
    fc.assert(
      fc.property(tree, (value) => {
        const text = JSON.stringify(value);
        expect(StringifiedJson.canonical(text)).toBe(canonicalJson(parsed(text)));
      }),
      { numRuns: 3_000 },
    );
  });

  it('sorts members by names that are written with escapes', () => {
    const escaped = fc.stringMatching(/^[a"\\\n\ud800:]{0,4}$/);
    fc.assert(
      fc.property(fc.dictionary(escaped, fc.dictionary(escaped, fc.nat(), { noNullPrototype: true })), (value) => {
        expect(StringifiedJson.canonical(JSON.stringify(value))).toBe(canonicalJson(value));
      }),
      { numRuns: 1_000 },
    );
  });

  it('takes of an object the members that are kept, and of those within it all', () => {
    fc.assert(
      fc.property(fc.dictionary(keys, tree, { noNullPrototype: true }), fc.func(fc.boolean()), (value, isKept) => {
        const text = JSON.stringify(value);
        const kept = Object.fromEntries(Object.entries(parsed(text) as object).filter(([key]) => isKept(key)));
        expect(StringifiedJson.canonical(text, (key) => isKept(key))).toBe(canonicalJson(kept));
      }),
    );
  });

  it('comes to an end with any text', () => {
    const piece = fc.constantFrom('[', ']', '{', '}', ',', ':', '"', '\\', ' ', 'a', '1', '"a":', '[{', '}]');
    const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
    const taken = (take: () => unknown): unknown => {
      try {
        return take();
      } catch (error) {
        return error;
      }
    };
    fc.assert(
      fc.property(text, (given) => {
        const results = [
          taken(() => StringifiedJson.canonical(given)),
          taken(() => StringifiedJson.isOneObject(given)),
        ];
        for (const result of results) if (result instanceof Error) expect(result).toBeInstanceOf(SyntaxError);
      }),
      { numRuns: 20_000 },
    );
  });

  it('tells a list of one object from everything else', () => {
    fc.assert(
      fc.property(fc.oneof(tree, fc.array(fc.dictionary(keys, tree), { maxLength: 2 })), (value) => {
        const text = JSON.stringify(value);
        const list = parsed(text);
        expect(StringifiedJson.isOneObject(text)).toBe(Array.isArray(list) && list.length === 1 && isTree(list[0]));
      }),
      { numRuns: 1_000 },
    );
  });
});

describe.each(Object.values<CanonicalPolicy>(CANONICAL_POLICIES).map((policy) => [policy.name, policy] as const))(
  'the key under %s',
  (_name, policy) => {
    it('is the same for a value that was just encoded as for its text', () => {
      const anything = fc.anything({ withBigInt: true, withDate: true, withMap: true, withSet: true, key: keys });
      const value = fc.oneof(anything, fc.array(anything), fc.dictionary(keys, fc.oneof(tree, anything)));
      fc.assert(
        fc.property(value, (given) => {
          const { payload } = encodeValue(given);
          expect(isStringified(payload)).toBe(true);
          expect(canonicalKey(policy, payload)).toBe(
            canonicalKey(policy, payloadOf(payload.format, payload.data ?? '')),
          );
        }),
        { numRuns: 300 },
      );
    });
  },
);
