import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJson, JsonWalk, jsonValueEnd } from './json-scan.ts';

function isParsed(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Pieces of which nearly everything is made that a scanner of JSON may get wrong. */
const PIECES = [
  ...[
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '\\',
    '"a"',
    '""',
    '"\\"',
    '\\u00e9',
    '\\u12',
    '\\x',
    '\\n',
    '\ud800',
    '\u2028',
  ],
  ...[
    '0',
    '1',
    '-',
    '-0',
    '01',
    '1.',
    '.5',
    '1.5',
    'e',
    'E+',
    '1e5',
    '1e+',
    '2E-7',
    'true',
    'false',
    'null',
    'nul',
    'True',
  ],
  ...[' ', '\n', '\t', '\r', '\f', '\v', '\0', '\u00a0', '\ufeff', '/', '//', 'NaN', 'Infinity', 'undefined', '\u007f'],
];

const mutation = fc.record({ at: fc.nat(), length: fc.nat({ max: 2 }), piece: fc.constantFrom('', ...PIECES) });

function mutated(text: string, mutations: readonly { at: number; length: number; piece: string }[]): string {
  return mutations.reduce((left, { at, length, piece }) => {
    const from = at % (left.length + 1);
    return left.slice(0, from) + piece + left.slice(from + length);
  }, text);
}

const written = fc.oneof(
  fc.json({ noUnicodeString: false }),
  fc.jsonValue().map((value) => JSON.stringify(value, null, 2)),
  fc.jsonValue().map((value) => JSON.stringify(JSON.stringify(value))),
);

describe('isJson', () => {
  it('takes and refuses what JSON.parse does', () => {
    const texts = fc.oneof(
      fc.array(fc.constantFrom(...PIECES), { maxLength: 8 }).map((pieces) => pieces.join('')),
      fc.tuple(written, fc.array(mutation, { maxLength: 3 })).map(([text, mutations]) => mutated(text, mutations)),
    );
    const seen = [0, 0];
    fc.assert(
      fc.property(texts, (text) => {
        const is = isJson(text);
        seen[is ? 1 : 0] = (seen[is ? 1 : 0] ?? 0) + 1;
        return is === isParsed(text);
      }),
      { numRuns: Number(process.env.JSON_SCAN_RUNS ?? 30_000) },
    );
    expect(Math.min(...seen)).toBeGreaterThan(3_000);
  });

  it('takes every text of few pieces that JSON.parse takes, and no other', () => {
    const one = PIECES.concat('');
    for (const first of one)
      for (const second of one)
        for (const third of one) {
          const text = `${first}${second}${third}`;
          if (isJson(text) !== isParsed(text)) expect.unreachable(JSON.stringify(text));
        }
  });

  it('takes any nesting', () => {
    const depth = 200_000;
    expect(isJson('['.repeat(depth) + ']'.repeat(depth))).toBe(true);
    expect(isJson(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`)).toBe(true);
    expect(isJson('['.repeat(depth) + ']'.repeat(depth - 1))).toBe(false);
  });
});

describe('jsonValueEnd', () => {
  it('is where a value ends, whatever stands behind it', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom('', ',', ']', '}', ' ', '"', ' 1'), (text, rest) => {
        expect(jsonValueEnd(`[${text}${rest}`, 1)).toBe(1 + text.length);
      }),
    );
  });
});

describe('JsonWalk', () => {
  /** The scalars of a value in order, as texts. */
  function scalarsOf(value: unknown): string[] {
    if (typeof value !== 'object' || value === null) return [JSON.stringify(value)];
    const members = Object.values(value);
    return members.length === 0 ? [''] : members.flatMap(scalarsOf);
  }

  it('steps from scalar to scalar, and over empty arrays and objects', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 3), (value, space) => {
        const text = JSON.stringify(value, null, space);
        const walk = new JsonWalk(text, 0);
        const scalars: string[] = [];
        while (walk.next()) scalars.push(text.slice(walk.start, walk.end));
        expect(scalars).toEqual(scalarsOf(JSON.parse(text)));
        expect(walk.position).toBe(text.length);
      }),
    );
  });
});
