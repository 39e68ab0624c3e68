import { encodeValue } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import { redactedValue } from '../places/redact-value.ts';
import { comparableText } from '../redactor/comparable-text.ts';
import { Redactor } from '../redactor/redactor.ts';

const key = { bytes: Buffer.from('a test key'), id: 'test', source: 'environment' } as const;
const redactor = new Redactor({ options: {}, key: () => key });

/** A value as it is kept, with a word in place of each token. */
function kept(value: unknown): unknown {
  return JSON.parse(comparableText(redactedValue(redactor, encodeValue(value)).payload.data ?? '', 'dropped'));
}

describe('a word of a command line', () => {
  it('has all that follows the name of its option as its value', () => {
    const args = [
      'run',
      '--api-key=argv secret 7712x',
      'DB_PASSWORD=(two words',
      '--name=argv secret',
      '--password=true',
    ];
    expect(kept({ args })).toEqual({
      args: ['run', '--api-key=[redacted]', 'DB_PASSWORD=[redacted]', '--name=argv secret', '--password=true'],
    });
  });

  it('is searched though the same text stood elsewhere, where it is none', () => {
    const text = '--password=(two words';
    expect(kept([{ args: text }, { args: [text] }])).toEqual([{ args: text }, { args: ['--password=[redacted]'] }]);
  });

  it('has the token that the same value has in a word of its own, and keeps it', () => {
    const value = 'argv secret 7712x';
    const { payload } = redactedValue(redactor, encodeValue([`--api-key=${value}`, '--api-key', value]));
    const [word, , own] = JSON.parse(payload.data ?? '') as string[];
    expect(word).toBe(`--api-key=${own}`);
    expect(redactedValue(redactor, encodeValue([word])).payload.data).toBe(JSON.stringify([word]));
  });
});
