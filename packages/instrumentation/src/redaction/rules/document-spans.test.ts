import { encodeValue } from '@reenact/trace-model';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redactedChunks, redactedValue } from '../places/redact-value.ts';
import type { RedactionOptions } from '../redactor/redaction-options.ts';
import { Redactor } from '../redactor/redactor.ts';

const key = { bytes: Buffer.from('a test key'), id: 'test', source: 'environment' } as const;
const why = 'A test.';
const byPath = [
  { id: 'customer', why, path: 'customer.name' },
  { id: 'card', why, path: 'cards.*.number' },
];

function redactorOf(options: RedactionOptions): Redactor {
  return new Redactor({ options, key: () => key });
}

function kept(options: RedactionOptions, value: unknown): unknown {
  return JSON.parse(redactedValue(redactorOf(options), encodeValue(value)).payload.data ?? '');
}

/** A document inside a text, as often as wanted. */
function packed(value: unknown, times: number): string {
  return times === 1 ? JSON.stringify(value) : packed({ content: JSON.stringify(value) }, times - 1);
}

function unpacked(text: string, times: number): unknown {
  const value: unknown = JSON.parse(text);
  return times === 1 ? value : unpacked((value as { content: string }).content, times - 1);
}

const name = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom('Ada "A."', '\\u0041\n', 'Ünal', ''),
);
function plain<Members>(model: { [Key in keyof Members]: fc.Arbitrary<Members[Key]> }): fc.Arbitrary<Members> {
  return fc.record(model, { noNullPrototype: true });
}

const order = plain({
  customer: plain({ name, city: name }),
  cards: fc.array(plain({ number: fc.oneof(name, fc.nat()), kind: name }), { maxLength: 3 }),
  name,
});

describe('a rule by path', () => {
  it('finds in JSON inside a text, however deep, what it finds in the value itself, and leaves the JSON readable', () => {
    fc.assert(
      fc.property(order, fc.integer({ min: 1, max: 4 }), (value, times) => {
        const { content } = kept({ rules: byPath, defaults: false }, { content: packed(value, times) }) as {
          content: string;
        };
        expect(unpacked(content, times)).toEqual(kept({ rules: byPath, defaults: false }, value));
      }),
    );
  });

  it('finds nothing more in what it has redacted: what a replay served comes back as it is', () => {
    const once = kept({ rules: byPath }, { content: packed({ customer: { name: 'Ada' }, cards: [{ number: 7 }] }, 2) });
    expect(JSON.stringify(once)).not.toMatch(/Ada|:7/);
    expect(kept({ rules: byPath }, once)).toEqual(once);
  });

  it('gives way to what is found inside, as in a value', () => {
    const options: RedactionOptions = { rules: byPath, personal: ['email'] };
    const value = { customer: { name: 'ada@example.com' } };
    expect(kept(options, { content: JSON.stringify(value) })).toEqual({
      content: JSON.stringify(kept(options, value)),
    });
  });

  it('finds in a document that comes in pieces', () => {
    const text = JSON.stringify({ customer: { name: 'Ada Lovelace' } });
    for (const cut of [3, 14, 22, 27, text.length - 2]) {
      const chunks = [text.slice(0, cut), text.slice(cut)].map((delta, index) => ({
        offsetUs: index,
        value: encodeValue({ delta }),
      }));
      const pieces = redactedChunks(redactorOf({ rules: byPath }), chunks).map(
        (chunk) => (JSON.parse(chunk.value.payload.data ?? '') as { delta: string }).delta,
      );
      expect(pieces.join('')).toMatch(/^\{"customer":\{"name":"\[redacted:customer:[0-9a-f]{16}\]"\}\}$/);
    }
  });
});

/** Two characters or less are no secret; where they are escaped, a text has more of them, and they are taken for one. */
const secret = fc
  .oneof(fc.constantFrom('hunter2x', 'open "sesame" (now)', 'zwölf\\n9', 'true', 'Basic dXNlcjpwYXNz'), name)
  .filter((value) => value.length > 2 || JSON.stringify(value).length === value.length + 2);
const secretNumber = fc.integer({ min: 0, max: 99_999_999 });
const named = plain({
  password: fc.oneof(secret, secretNumber),
  argv: fc.tuple(
    fc.constantFrom('--api-key', '--city', 'Cookie'),
    secret,
    secret.map((value) => `DB_PASSWORD=${value}`),
  ),
  header: plain({ name: fc.constantFrom('X-Api-Key', 'Accept'), value: secret }),
  schema: plain({
    properties: plain({
      api_key: plain({ type: fc.constant('string'), default: secret }),
      pin: plain({ type: fc.constant('number'), examples: fc.tuple(secretNumber) }),
      city: plain({ type: fc.constant('string'), default: name }),
    }),
  }),
  card: fc.constantFrom(4_111_111_111_111_111, 4_111_111_111_111_112),
});

describe('the default rules by name', () => {
  it('find in JSON inside a text, however deep, what they find in the value itself, and give it the same tokens', () => {
    fc.assert(
      fc.property(named, fc.integer({ min: 1, max: 4 }), (value, times) => {
        const { content } = kept({}, { content: packed(value, times) }) as { content: string };
        const own = kept({}, value);
        expect(unpacked(content, times)).toEqual(own);
        expect(kept({}, { content })).toEqual({ content });
      }),
    );
  });
});

describe('a rule by code', () => {
  it('is asked about the members of JSON inside a text, with their path', () => {
    const find = (text: string, path: readonly string[]): string[] =>
      path.at(-1) === 'note' ? [text.slice(0, 4)] : [];
    const content = JSON.stringify({ note: 'Zoë" said', other: 'Zoë" said' });
    const found = kept({ rules: [{ id: 'note', why, find }] }, { content }) as { content: string };
    expect(JSON.parse(found.content)).toEqual({
      note: expect.stringMatching(/^\[redacted:note:[0-9a-f]{16}\] said$/),
      other: 'Zoë" said',
    });
  });

  it('that gives no texts is an error of the rule, and no rule that finds nothing', () => {
    const find = ((text: string) => [{ start: 0, end: text.length }]) as unknown as () => string[];
    expect(() => kept({ rules: [{ id: 'note', why, find }] }, { note: 'Ada' })).toThrow(
      expect.objectContaining({ code: 'bad-argument', where: 'redaction rule note' }),
    );
  });
});
