import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_RULES } from './default-rules.ts';
import type { PatternRule } from './redaction-rule.ts';
import { WordHints } from './word-hints.ts';

const rules = DEFAULT_RULES.filter(({ isInProse }) => isInProse !== true);
const hints = new WordHints(rules);

const piece = fc.oneof(
  fc.constantFrom(...rules.flatMap(({ hintStarts = [] }) => hintStarts)),
  fc.stringMatching(/^[A-Za-z0-9_.~+/:=-]{0,20}$/),
  fc.constantFrom(' ', '"', '\\n', '\u00e9', '\u{1f600}'),
);
const text = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));

/** What a rule finds, without what must not be before or behind it. */
function foundBy({ after = '', pattern }: PatternRule): fc.Arbitrary<string> {
  const source = `${after === '' ? '' : `(?:${after})`}(?:${pattern})`.replaceAll(
    /\(\?<?!(?:\[[^\]]*\]|[^()[\]])*\)/g,
    '',
  );
  return fc.stringMatching(new RegExp(`^(?:${source})$`)).filter((found) => found.length >= 16);
}

describe('WordHints', () => {
  it('names the rules whose hint is in a long word of a text', () => {
    fc.assert(
      fc.property(text, (given) => {
        const words = given.match(/[A-Za-z0-9_.~+/:=-]{16,}/g) ?? [];
        const hinted = rules.filter(({ hint }) => words.some((word) => new RegExp(hint).test(word)));
        expect(hints.rulesFor(given)).toEqual(new Set(hinted));
        expect(hints.test(given)).toBe(hinted.length > 0);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(rules.map((rule) => [rule.id, rule.pattern.slice(0, 40), rule] as const))(
    'names %s for all that it finds (%s…)',
    (_, __, rule) => {
      fc.assert(
        fc.property(fc.constantFrom('', ' ', 'n', 'token=', '/'), foundBy(rule), (before, found) => {
          expect(hints.rulesFor(before + found)).toContain(rule);
        }),
        { numRuns: 50 },
      );
    },
  );

  it.each(rules.map((rule) => [rule.id, rule] as const))('is told by %s what its hint begins with', (_, rule) => {
    const { hint, hintStarts = [] } = rule;
    expect(hintStarts.length).toBeGreaterThan(0);
    expect(hintStarts.filter((start) => !/^[\x20-\x7e]{3,}$/.test(start))).toEqual([]);
    fc.assert(
      fc.property(fc.stringMatching(new RegExp(`^(?:${hint.replace('(?<=\\d)', '')})$`)), (hinted) => {
        expect(hintStarts.some((start) => hinted.startsWith(start))).toBe(true);
      }),
      { numRuns: 50 },
    );
  });
});
