import { decodeValue, type EncodedValue, encodeValue } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import { redactedChunks, redactedValue } from '../places/redact-value.ts';
import type { RedactionOptions } from './redaction-options.ts';
import { Redactor } from './redactor.ts';

const key = { bytes: Buffer.from('a test key'), id: 'test', source: 'environment' } as const;
const redactor = new Redactor({ options: {}, key: () => key });
const secret = `sk-proj-${'aB3dE6gH9jK2mN5pQ8sT'}`;
const token = redactor.placeholder('openai-key', secret);
const why = 'A test.';

function kept(value: unknown, options: RedactionOptions = {}): unknown {
  return decodeValue(redactedValue(new Redactor({ options, key: () => key }), encodeValue(value)).payload);
}

/** What puts one text into another, each in its way. */
const layers: Readonly<Record<string, (text: string) => string>> = {
  base64: (text) => Buffer.from(text).toString('base64'),
  json: (text) => JSON.stringify({ note: text, path: 'a/b' }).replaceAll('/', '\\/'),
  percent: encodeURIComponent,
  xml: (text) => `<a>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')}</a>`,
};

/** Every way of putting a text into another up to so many times. */
function nested(
  text: string,
  times: number,
  around: readonly string[] = [],
): { names: readonly string[]; text: string }[] {
  if (times === 0) return [];
  return Object.entries(layers).flatMap(([name, layer]) => {
    const [names, inside] = [[name, ...around], layer(text)];
    return [{ names, text: inside }, ...nested(inside, times - 1, names)];
  });
}

describe('a secret in texts within texts', () => {
  const ways = nested(`the key is ${secret} today`, 4);

  it('is found three deep, whatever they are', () => {
    const missed = ways.filter(({ names, text }) => names.length <= 3 && redactor.spans(text).length === 0);
    expect(missed.map(({ names }) => names.join(' of '))).toEqual([]);
  });

  it('is never passed over by the first look where the search would find it', () => {
    const passedOver = ways.filter(({ text }) => redactor.spans(text).length > 0 && !redactor.mayHold(text));
    expect(passedOver.map(({ names }) => names.join(' of '))).toEqual([]);
  });
});

describe('a value that is secret by its name', () => {
  it('has the token of what it is once a secret inside of it has one: a replay meets it so', () => {
    const whole = (text: string): string => redactor.placeholder('named-value', text);
    expect(kept({ password: `x ${secret} y` })).toEqual({ password: whole(`x ${token} y`) });
    expect(kept({ password: `x ${token} y` })).toEqual({ password: whole(`x ${token} y`) });
  });

  it('counts as a number from three digits on', () => {
    const number = expect.stringMatching(/^\[redacted:named-value:/);
    expect(kept({ password: 123, pin: 12 })).toEqual({ password: number, pin: 12 });
  });
});

describe('the number of a payment card', () => {
  it('is found as a number of 13 digits and of 16, and none of another sum', () => {
    const card = expect.stringMatching(/^\[redacted:payment-card:/);
    expect(kept([4_222_222_222_222, 4_111_111_111_111_111, 4_111_111_111_111_112])).toEqual([
      card,
      card,
      4_111_111_111_111_112,
    ]);
  });
});

describe('rules of the user', () => {
  const own = expect.stringMatching(/^\[redacted:own:[^\]]+\] and \[redacted:own:[^\]]+\]$/);

  it('find a pattern wherever it matches, whatever its flags say of that', () => {
    for (const flags of ['', 'g', 'y', 'gy'])
      expect(kept('T-1 and T-2', { rules: [{ id: 'own', why, pattern: new RegExp('T-\\d', flags) }] })).toEqual(own);
  });

  it('find what a function gave at each place where it stands', () => {
    const find = (text: string): string[] => (text.includes('Ada') ? ['Ada'] : []);
    expect(kept('Ada and Ada', { rules: [{ id: 'own', why, find }] })).toEqual(own);
  });

  it('go before what is an id that a protocol sends back, where a path names it', () => {
    const value = { tool_call_id: 'call_aB3dE6gH9jK2mN5pQ8sT', signature: 'EqQBCgIYAhIkZ2VuZXJhdGVkIGJ5' };
    expect(kept(value)).toEqual(value);
    const rules = ['tool_call_id', 'signature'].map((path) => ({ id: 'own', why, path }));
    const replaced = expect.stringMatching(/^\[redacted:own:/);
    expect(kept(value, { rules })).toEqual({ tool_call_id: replaced, signature: replaced });
  });
});

describe('chunks of a stream', () => {
  const chunksOf = (values: readonly EncodedValue[]) => values.map((value) => ({ offsetUs: 0, value }));

  it('each have what was found in them, also where that is all there is of one', () => {
    const texts = [secret, ' between ', secret, ' and ', secret];
    const chunks = redactedChunks(redactor, chunksOf(texts.map(encodeValue)));
    expect(chunks.map(({ value }) => decodeValue(value.payload))).toEqual([token, ' between ', token, ' and ', token]);
    expect(chunks.map(({ value }) => value.redacted)).toEqual([[''], undefined, [''], undefined, ['']]);
  });
});
