import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SECRET_NAME_HINT, secrecyOfName } from '../text/secret-names.ts';
import { DEFAULT_RULES, PERSONAL_RULES } from './default-rules.ts';
import { RedactionHints } from './redaction-hints.ts';
import type { PatternRule } from './redaction-rule.ts';

const names =
  'password passwd passphrase passcode pwd DB_PASS psk secret_string secretBinary code-verifier deviceCode key-data authIdent SECRET token Auth cookie cookies2 authorization credentials jwt sid pat cvv cvc otp pin ' +
  'api-key access_key account%5fkey private.keyId session-id sessid ?key &sig ?code &ticket signature x-goog-credential keyword day';
const piece = fc.oneof(
  fc.constantFrom(...names.split(' ')),
  fc.constantFrom(
    '"',
    "'",
    '=',
    ':',
    '\\',
    ' ',
    '\n',
    '\t',
    '://',
    '@',
    ', ',
    '4111 1111 1111 1111',
    '+49 170 1234567',
  ),
  fc.constantFrom('Bearer ', 'basic ', 'dXNlcjpwYXNz', 'a@b.example', 'sk-ant-', '{"$":"bytes"', '[redacted:'),
  fc.string({ maxLength: 3 }),
);
const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));

describe('SECRET_NAME_HINT', () => {
  it('finds the same as without the looks at the last character and the last letters', () => {
    const [, last = ''] =
      /(\(\?<=\[a-z2\\-_\.\\s\]\.\)\(\?<=\(\?:[a-z0-9|[\]_.?(): -]+\)\[-_\.\]\*\[\^\\S\\n\]\?\.\))/.exec(
        SECRET_NAME_HINT.source,
      ) ?? [];
    expect(last).not.toBe('');
    const whole = new RegExp(SECRET_NAME_HINT.source.replace(last, ''), SECRET_NAME_HINT.flags);
    fc.assert(
      fc.property(text, (given) => {
        expect(SECRET_NAME_HINT.exec(given)?.index).toBe(whole.exec(given)?.index);
      }),
      { numRuns: 2_000 },
    );
  });

  it('finds every name that it lists', () => {
    const [, listed = ''] = /\(\?<=(\(\?:pass.+\))\[-_\.\]\*\[\^\\S\\n\]\?\.\)$/.exec(SECRET_NAME_HINT.source) ?? [];
    expect(listed).not.toBe('');
    fc.assert(
      fc.property(
        fc.stringMatching(new RegExp(`^${listed}[-_.]*[ \\t]?["'=:\\\\]$`)),
        fc.boolean(),
        (name, isUpper) => {
          expect(SECRET_NAME_HINT.test(isUpper ? name.toUpperCase() : name)).toBe(true);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it.each(['password_', '--secret-', 'pass_phrase', 'pass-word', 'API__KEY'])(
    'finds %s, which names a secret whatever separators it has',
    (name) => expect([secrecyOfName(name), SECRET_NAME_HINT.test(`"${name}"`)]).toEqual(['secret', true]),
  );
});

const rulesForProse: readonly PatternRule[] = [...DEFAULT_RULES, ...Object.values(PERSONAL_RULES)].filter(
  ({ isInProse }) => isInProse === true,
);

describe('RedactionHints', () => {
  it('passes over no text that the hint of a rule for prose matches', () => {
    const hints = new RedactionHints(rulesForProse, false);
    const inProse = rulesForProse.map(({ hint }) => new RegExp(hint));
    fc.assert(
      fc.property(text, (given) => {
        if (inProse.some((hint) => hint.test(given))) expect(hints.test(given)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(rulesForProse.map((rule) => [rule.id, rule] as const))('finds whatever the hint of %s matches', (_, rule) => {
    const hints = new RedactionHints([rule], false);
    const found = fc.stringMatching(new RegExp(`^(?:${rule.hint})$`));
    fc.assert(
      fc.property(text, found, text, (before, match, after) => {
        expect(hints.test(before + match + after)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
