import { decodeValue, encodeValue } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import { redactedChunks } from '../places/redact-value.ts';
import { Redactor } from '../redactor/redactor.ts';

const redactor = new Redactor({
  options: {},
  key: () => ({ bytes: Buffer.from('a test key'), id: 'test', source: 'environment' }),
});

/** What an agent joins in a replay, given the pieces that came when it was recorded. */
function joined(pieces: readonly string[]): string {
  const chunks = pieces.map((delta, index) => ({ offsetUs: index, value: encodeValue({ delta }) }));
  const redacted = redactedChunks(redactor, chunks);
  return redacted.map(({ value }) => (decodeValue(value.payload) as { delta: string }).delta).join('');
}

describe('a secret that is cut in two, of which the first alone reads as one', () => {
  it.each([
    'curl -u ada:hunter2 https://b.example',
    'mysql -phunter2 shop',
    'see api_key=hunter2 there',
    'password="hunter2" it is',
    '{:password=>"hunter2"}',
  ])('has the token that it has as a whole, wherever it is cut: %s', (text) => {
    const whole = redactor.text(text);
    expect(whole).not.toContain('hunter2');
    for (let at = 1; at < text.length; at += 1) {
      expect(joined([text.slice(0, at), text.slice(at)])).toBe(whole);
      expect(joined([text.slice(0, at), text.slice(at, at + 2), text.slice(at + 2)])).toBe(whole);
    }
  });
});
