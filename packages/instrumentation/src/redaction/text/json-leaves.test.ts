import { encodeValue } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import { redactedValue } from '../places/redact-value.ts';
import { comparableText } from '../redactor/comparable-text.ts';
import { Redactor } from '../redactor/redactor.ts';

const key = { bytes: Buffer.from('a test key'), id: 'test', source: 'environment' } as const;
const redactor = new Redactor({ options: {}, key: () => key });

/** A value as it is kept, and as it is kept in JSON inside a text; a star stands in place of each token. */
function kept(value: unknown): unknown[] {
  const found = (given: unknown): string =>
    comparableText(redactedValue(redactor, encodeValue(given)).payload.data ?? '', 'dropped').replaceAll(
      '[redacted]',
      '*',
    );
  const { content } = JSON.parse(found({ content: JSON.stringify(value) })) as { content: string };
  return [JSON.parse(found(value)), JSON.parse(content)];
}

describe('a value that stands beside what says that it is a secret', () => {
  it.each([
    [
      { name: 'pin', value: 1234 },
      { name: 'pin', value: '*' },
    ],
    [
      { value: 123456, key: 'DB_PASSWORD' },
      { value: '*', key: 'DB_PASSWORD' },
    ],
    [{ args: ['--password', 123456, '--port', 5432] }, { args: ['--password', '*', '--port', 5432] }],
    [
      { kty: 'RSA', n: 'n1', e: 'AQAB', d: 'd12', p: 'p12', qi: 'q12' },
      { kty: 'RSA', n: 'n1', e: 'AQAB', d: '*', p: '*', qi: '*' },
    ],
    [
      {
        keys: [
          { d: 'd12', kty: 'EC', x: 'x12', y: 'y12' },
          { kty: 'oct', k: 'k12' },
        ],
      },
      {
        keys: [
          { d: '*', kty: 'EC', x: 'x12', y: 'y12' },
          { kty: 'oct', k: '*' },
        ],
      },
    ],
    [
      {
        cookies: [
          { name: 'theme', value: 'a12', path: '/app' },
          { value: 'b12', name: 'b' },
        ],
      },
      {
        cookies: [
          { name: 'theme', value: '*', path: '/app' },
          { value: '*', name: 'b' },
        ],
      },
    ],
    [{ auths: { 'b.example': { identitytoken: 'abc_def' } } }, { auths: { 'b.example': { identitytoken: '*' } } }],
  ])('is one: %j', (value, wanted) => expect(kept(value)).toEqual([wanted, wanted]));

  it('is one in a Map, where it is a number', () => {
    const { data } = redactedValue(
      redactor,
      encodeValue(
        new Map([
          ['pin', 1234],
          ['port', 5432],
        ]),
      ),
    ).payload;
    expect(comparableText(data ?? '', 'dropped')).toBe('{"$":"map","entries":[["pin","[redacted]"],["port",5432]]}');
  });

  it.each([
    { name: 'token', value: 123456 },
    { name: 'pin', value: 12 },
    { name: 'max_tokens', value: 4096 },
    { d: 'M0 0L10 10', p: 'a paragraph', q: 'a query', k: 'a key' },
    { kty: 'EC', crv: 'P-256', x: 'x12', y: 'y12', kid: 'k12', k: 'none' },
    { headers: [{ name: 'accept', value: 'a/b' }], cookiesAllowed: [{ name: 'theme', value: 'a12' }] },
  ])('is none elsewhere: %j', (value) => expect(kept(value)).toEqual([value, value]));
});
