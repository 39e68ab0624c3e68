import { recordedHeaders, type SentRequest } from '@reenact/instrumentation';
import { buildRecording, modelExchange } from '@reenact/recordings/testing';
import type { Crossing, Exchange } from '@reenact/trace-model';
import { isVolatileHeader } from '@reenact/trace-model';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareRequest, type RequestComparison } from './request-comparison.ts';

type Headers = Record<string, string>;

interface Sent {
  readonly headers?: Headers;
  readonly query?: string;
}

const base = 'https://provider.test/v1/chat/completions';

function exchangeOf({ headers = {}, query = '' }: Sent): Exchange {
  const exchange = modelExchange({});
  const pairs = [['accept', '*/*'], ...Object.entries(headers)] as [string, string][];
  return { ...exchange, request: { ...exchange.request, url: `${base}${query}`, headers: pairs } };
}

function crossingOf(exchange: Exchange, redacted: readonly string[]): Crossing {
  const recording = buildRecording({
    label: 'agent:asker',
    children: [{ label: 'model:openai.chat', exchanges: [exchange], redacted: [...redacted] }],
  });
  const crossing = recording.crossings.find(({ kind }) => kind === 'model');
  if (crossing === undefined) throw new TypeError('There is no model call.');
  return crossing;
}

function compare(recorded: Sent, live: Sent, redacted: readonly string[] = []): RequestComparison {
  const exchange = exchangeOf(recorded);
  const { headers = {}, query = '' } = live;
  const sent: SentRequest = {
    attempt: 0,
    url: `http://elsewhere.test/${query}`,
    headers: { accept: '*/*', ...headers },
    senders: {},
  };
  return compareRequest(crossingOf(exchange, redacted), exchange, sent, []);
}

function pathsOf({ changed }: RequestComparison): string[] {
  return changed?.difference.entries.map(({ path }) => path) ?? [];
}

const names = fc
  .stringMatching(/^[a-z][a-z0-9-]{0,12}$/)
  .filter((name) => !isVolatileHeader(name) && !['accept', 'content-type'].includes(name) && !name.startsWith('ai-'));
const headers = fc.dictionary(names, fc.stringMatching(/^[a-z0-9 ]{1,8}$/), { maxKeys: 5 });

function pathOf(name: string): string {
  return /^[a-z0-9]+$/.test(name) ? `headers.${name}` : `headers["${name}"]`;
}

describe('the headers of two attempts', () => {
  it('that are the same are equal', () => {
    fc.assert(
      fc.property(headers, (same) => {
        expect(compare({ headers: same }, { headers: { ...same } })).toEqual({ changed: undefined, unverified: [] });
      }),
    );
  });

  it('are told apart by any that is another, missing or new, and by no other', () => {
    const value = fc.option(fc.stringMatching(/^[A-Z]{1,8}$/), { nil: undefined });
    fc.assert(
      fc.property(headers, names, value, (recorded, name, changed) => {
        const { [name]: before, ...rest } = recorded;
        fc.pre(before !== changed);
        const live = changed === undefined ? rest : { ...recorded, [name]: changed };
        const comparison = compare({ headers: recorded }, { headers: live });
        expect(pathsOf(comparison)).toEqual([pathOf(name)]);
        const [entry] = comparison.changed?.difference.entries ?? [];
        expect(entry?.recorded).toBe(before === undefined ? undefined : JSON.stringify(before));
        expect(entry?.live).toBe(changed === undefined ? undefined : JSON.stringify(changed));
      }),
    );
  });
});

describe('the queries of two attempts', () => {
  it('are compared by what they say', () => {
    expect(pathsOf(compare({ query: '?a=1&b=%20' }, { query: '?b=+&a=1#part' }))).toEqual([]);
    expect(pathsOf(compare({ query: '?a=1' }, { query: '?a=2' }))).toEqual(['query.a']);
    expect(pathsOf(compare({ query: '' }, { query: '?beta=true' }))).toEqual(['query.beta']);
    expect(pathsOf(compare({ query: '?a=1&a=2' }, { query: '?a=2&a=1' }))).toEqual(['query.a[0]', 'query.a[1]']);
  });

  it('are compared without who asks', () => {
    expect(pathsOf(compare({ query: '?api-key=one' }, { query: '?api-key=two' }))).toEqual([]);
  });
});

describe('a header that was a secret', () => {
  const secret = 'Bearer sk-proj-0123456789abcdef0123456789abcdef';
  const other = 'Bearer sk-proj-fedcba9876543210fedcba9876543210';
  const token = (text: string): string => recordedHeaders([['x-forwarded-auth', text]])[0]?.[1] ?? '';
  const pointer = ['/exchanges/0/request/headers/x-forwarded-auth'];

  it('is compared by its token under the same key', () => {
    expect(token(secret)).toContain('[redacted:');
    // What was recorded before redaction holds the secret itself.
    const recorded = { headers: { 'x-forwarded-auth': secret } };
    expect(compare(recorded, { headers: { 'x-forwarded-auth': token(secret) } })).toEqual({
      changed: undefined,
      unverified: [],
    });
    const changed = compare(recorded, { headers: { 'x-forwarded-auth': token(other) } });
    expect(pathsOf(changed)).toEqual(['headers["x-forwarded-auth"]']);
    expect(JSON.stringify(changed)).not.toContain('0123456789abcdef0123456789abcdef');
  });

  it('is unverified under another key, and all else is compared', () => {
    const recorded = { headers: { 'x-forwarded-auth': '[redacted:bearer:0123456789abcdef]', 'x-tenant': 'one' } };
    const live = { 'x-forwarded-auth': token(other), 'x-tenant': 'one' };
    expect(compare(recorded, { headers: live }, pointer)).toEqual({
      changed: undefined,
      unverified: ['/headers/x-forwarded-auth'],
    });
    expect(pathsOf(compare(recorded, { headers: { ...live, 'x-tenant': 'two' } }, pointer))).toEqual([
      'headers["x-tenant"]',
    ]);
    expect(pathsOf(compare(recorded, { headers: { 'x-tenant': 'one' } }, pointer))).toEqual([
      'headers["x-forwarded-auth"]',
    ]);
  });

  it('is compared around the secret under another key', () => {
    const recorded = { headers: { 'x-forwarded-auth': 'Bearer [redacted:bearer:0123456789abcdef]' } };
    expect(
      pathsOf(
        compare(recorded, { headers: { 'x-forwarded-auth': 'Basic [redacted:basic:0123456789abcdef]' } }, pointer),
      ),
    ).toEqual(['headers["x-forwarded-auth"]']);
  });
});
