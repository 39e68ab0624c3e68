import { decodeValue, encodeValue } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import { Redactor } from '../redactor/redactor.ts';
import { redactedChunks, redactedValue } from './redact-value.ts';

const key = { bytes: Buffer.from('a test key'), id: 'test', source: 'environment' } as const;
const secret = `sk-proj-${'aB3dE6gH9jK2mN5pQ8sT'}`;
const redactor = new Redactor({ options: {}, key: () => key });
const token = redactor.placeholder('openai-key', secret);

describe('a secret that is the name of a member', () => {
  it('is replaced by the token it has as a value, anywhere in an object', () => {
    const value = { limits: { [secret]: { left: 3 }, fine: 1 }, of: secret };
    const { payload, redacted } = redactedValue(redactor, encodeValue(value));
    expect(payload.data).not.toContain(secret);
    expect(decodeValue(payload)).toEqual({ limits: { [token]: { left: 3 }, fine: 1 }, of: token });
    expect(redacted).toEqual([`/limits/${token}`, '/of']);
  });

  it('is in no pointer to what stands below it', () => {
    const value = { [secret]: { run: () => 1, password: 'hunter2!' } };
    const { lossy, redacted } = redactedValue(redactor, encodeValue(value));
    expect(lossy).toEqual([`/${token}/run function`]);
    expect(redacted).toEqual([`/${token}`, `/${token}/password`]);
  });

  it('is found among the chunks of a stream', () => {
    const chunks = [{ a: 1 }, { [secret]: 1 }].map((value) => ({ offsetUs: 0, value: encodeValue(value) }));
    const texts = redactedChunks(redactor, chunks).map(({ value }) => value.payload.data);
    expect(texts).toEqual(['{"a":1}', `{"${token}":1}`]);
    const marked = { offsetUs: 0, value: encodeValue({ [secret]: () => 1 }) };
    expect(redactedChunks(redactor, [marked])[0]?.value.lossy).toEqual([`/${token} function`]);
  });

  it('is not what a path of a rule names', () => {
    const own = new Redactor({ options: { rules: [{ id: 'own', why: 'A test.', path: 'customer' }] }, key: () => key });
    const { payload } = redactedValue(own, encodeValue({ customer: { name: 'Ada' } }));
    expect(Object.keys(decodeValue(payload) as object)).toEqual(['customer']);
    expect(Object.keys((decodeValue(payload) as { customer: object }).customer)).toEqual(['name']);
  });
});

describe('a secret in the reason why a member could not be read', () => {
  const address = 'postgres://trader:Sup3rS3cret99@db.example.com/orders';
  const lazy = (reason: string): object =>
    Object.defineProperty({ a: 1 }, 'orders/all', {
      enumerable: true,
      get: () => {
        throw new TypeError(reason);
      },
    });

  it('is in no mark, whatever the value itself holds', () => {
    const marks = [`bad key ${secret}`, `nobody at ${address}`].flatMap(
      (reason) => redactedValue(redactor, encodeValue(lazy(reason))).lossy,
    );
    expect(marks).toEqual([
      `/orders~1all unreadable (bad key ${token})`,
      `/orders~1all unreadable (nobody at ${redactor.text(address)})`,
    ]);
    expect(marks.join()).not.toContain('Sup3rS3cret99');
  });

  it('is in none of a chunk, and other marks stay as they are', () => {
    const values = [lazy(secret), { '~': () => 1 }, lazy('no connection')];
    const chunks = values.map((value) => ({ offsetUs: 0, value: encodeValue(value) }));
    const kept = redactedChunks(redactor, chunks);
    expect(kept.flatMap(({ value }) => value.lossy)).toEqual([
      `/orders~1all unreadable (${token})`,
      '/~0 function',
      '/orders~1all unreadable (no connection)',
    ]);
    expect(kept.slice(1)).toEqual(chunks.slice(1));
  });
});
