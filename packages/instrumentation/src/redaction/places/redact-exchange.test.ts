import { chunkBytes, type Exchange, encodeValue, toChunk } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import { comparableText } from '../redactor/comparable-text.ts';
import { Redactor } from '../redactor/redactor.ts';
import { redactedExchange } from './redact-exchange.ts';
import { redactionOf } from './redaction-facts.ts';

const key = { bytes: Buffer.from('a test key'), id: 'test', source: 'environment' } as const;
const redactor = new Redactor({ options: {}, key: () => key });
const secret = `sk-proj-${'aB3dE6gH9jK2mN5pQ8sT'}`;
const said = `no, ${secret} is not known`;

const error: unknown = JSON.parse(encodeValue(new Error(said)).payload.data ?? '');

/** One attempt that has the same secret wherever a text may be. */
const exchange: Exchange = {
  layer: 'http',
  attempt: 0,
  startedAtUnixNano: '1',
  request: {
    method: 'POST',
    url: `https://example.test/?q=${secret}`,
    headers: [['x-note', said]],
    body: { text: JSON.stringify({ said }) },
  },
  interim: [{ status: 103, statusText: said, headers: [['x-note', said]], afterUs: 1 }],
  response: {
    status: 401,
    statusText: said,
    url: `https://example.test/moved?q=${secret}`,
    headers: [
      ['content-length', String(said.length)],
      ['x-note', said],
    ],
    headersAfterUs: 1,
    hasBody: true,
    chunks: [
      [2, said.slice(0, 20)],
      [3, said.slice(20)],
    ],
    trailers: [['x/note', said]],
    end: 'complete',
    endAfterUs: 3,
  },
  error,
};

/** Where there is one in an exchange. */
const places = [
  '/request/url',
  '/request/headers/x-note',
  '/request/body',
  '/interim/0/statusText',
  '/interim/0/headers/x-note',
  '/response/url',
  '/response/statusText',
  '/response/headers/x-note',
  '/response/trailers/x~1note',
  '/response/chunks',
  '/error',
];

describe('an exchange', () => {
  const { exchange: kept, redacted, unread } = redactedExchange(redactor, exchange);

  it('is kept without a secret in any of its parts, each of which is named', () => {
    expect(JSON.stringify(kept)).not.toContain(secret.slice(8));
    expect([redacted, unread]).toEqual([places, []]);
    const tokens = JSON.stringify(kept).match(/\[redacted:/g) ?? [];
    // The message of an error stands in its stack, too.
    expect(tokens).toHaveLength(places.length + 1);
  });

  it('has a body as long as its answer says', () => {
    const text = kept.response?.chunks.map(([, data]) => data).join('') ?? '';
    expect(comparableText(text, 'dropped')).toBe('no, [redacted] is not known');
    expect(kept.response?.headers[0]).toEqual(['content-length', String(text.length)]);
    expect(kept.response?.chunks.map(([offsetUs]) => offsetUs)).toEqual([2, 3]);
  });

  it('is searched, too, where it has so many control characters that it is kept as base64', () => {
    const [before, after] = [Buffer.from(`key ${secret} `), Buffer.alloc(64 * 1024)];
    const chunks = [toChunk(2, before), toChunk(3, Buffer.concat([after, before])), toChunk(4, after)];
    const response = { ...exchange.response, headers: [], chunks } as unknown as Exchange['response'];
    const { exchange: searched } = redactedExchange(redactor, { ...exchange, response });
    const whole = Buffer.concat((searched.response?.chunks ?? []).map(chunkBytes)).toString();
    expect(chunks.map(([, data]) => typeof data)).toEqual(['string', 'object', 'object']);
    expect(whole).not.toContain(secret.slice(8));
    expect(whole.match(/\[redacted:/g)).toHaveLength(2);
  });

  it('that was broken off keeps the length that was announced, of which less came', () => {
    const response = { ...exchange.response, end: 'aborted' } as Exchange['response'];
    const { exchange: cut } = redactedExchange(redactor, { ...exchange, response });
    expect(cut.response?.headers[0]).toEqual(['content-length', String(said.length)]);
    expect(JSON.stringify(cut)).not.toContain(secret.slice(8));
  });

  it('is marked where a replay gives what was replaced to code that reads it', () => {
    const facts = redactionOf({ input: undefined, parts: [], exchanges: [{ exchange: kept, redacted, unread }] });
    expect(facts.lossy).toEqual([
      '/exchanges/0/response/url redacted',
      '/exchanges/0/response/statusText redacted',
      '/exchanges/0/response/chunks redacted',
    ]);
    expect(facts.redacted).toEqual(places.map((place) => `/exchanges/0${place}`));
  });

  it('of gRPC keeps its messages, which were searched when they were taken: none may change its length', () => {
    const { exchange: ofGrpc } = redactedExchange(redactor, { ...exchange, layer: 'grpc' });
    expect(ofGrpc.response?.chunks).toEqual(exchange.response?.chunks);
  });
});
