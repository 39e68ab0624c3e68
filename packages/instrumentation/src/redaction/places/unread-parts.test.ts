import { gunzipSync, gzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { type Exchange, payloadOf } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import { Redactor } from '../redactor/redactor.ts';
import { redactedBytes } from './redact-bytes.ts';
import { redactedExchange } from './redact-exchange.ts';
import { redactedValue } from './redact-value.ts';

const key = { bytes: Buffer.from('a test key'), id: 'test', source: 'environment' } as const;
const redactor = new Redactor({ options: {}, key: () => key });
const secret = `sk-${'aB3dEf6hIj'.repeat(4)}`;

const cutOff = gzipSync(JSON.stringify({ password: 'open sesame', filler: 'x'.repeat(200) })).subarray(0, 30);
const part = JSON.stringify({ name: 'report.gz', base64: cutOff.toString('base64') });

function exchangeOf(contentType: string, body: string, request = ''): Exchange {
  const headers: [string, string][] = [['content-type', contentType]];
  return {
    layer: 'fetch',
    attempt: 0,
    startedAtUnixNano: '1',
    request: { method: 'POST', url: 'http://example.test/', headers, body: { text: request } },
    response: {
      status: 200,
      statusText: 'OK',
      url: 'http://example.test/',
      headers,
      headersAfterUs: 1,
      hasBody: true,
      chunks: [[2, body]],
      end: 'complete',
      endAfterUs: 3,
    },
  };
}

describe('packed bytes in a text that cannot be unpacked', () => {
  it.each([
    ['JSON', 'application/json', part],
    ['lines of JSON', 'application/x-ndjson', `{"a":1}\n${part}\n`],
    ['events', 'text/event-stream', `data: {"a":1}\n\ndata: ${part}\n\n`],
  ])('are told of the body that has them: %s', (_, contentType, body) => {
    expect(redactedExchange(redactor, exchangeOf(contentType, body)).unread).toEqual(['/response/chunks']);
    expect(redactedExchange(redactor, exchangeOf(contentType, '', body)).unread).toEqual(['/request/body']);
    const bytes = gzipSync(body);
    expect(redactedBytes(redactor, bytes, { contentType, coding: 'gzip' }).isUnread).toBe(true);
  });

  it('are told of where they are all there is of a value', () => {
    const ofBytes = (bytes: Buffer) => ({ payload: payloadOf('base64', bytes.toString('base64')), lossy: [] });
    expect(redactedValue(redactor, ofBytes(cutOff)).unread).toEqual(['']);
    expect(redactedValue(redactor, ofBytes(gzipSync('{"a":1}'))).unread).toBeUndefined();
  });

  it('are not told of where there are none', () => {
    const whole = JSON.stringify({ base64: gzipSync('{"a":1}').toString('base64') });
    expect(redactedExchange(redactor, exchangeOf('application/json', whole, whole)).unread).toEqual([]);
  });
});

function skipped(content: string): Buffer {
  const head = Buffer.from([0x5f, 0x2a, 0x4d, 0x18, 0, 0, 0, 0]);
  head.writeUInt32LE(Buffer.byteLength(content), 4);
  return Buffer.concat([head, Buffer.from(content)]);
}

describe('frames of zstd that are to be skipped', () => {
  const frame = zstdCompressSync(`the key is ${secret}`);
  it.each([
    ['before', Buffer.concat([skipped('a note'), frame])],
    ['between', Buffer.concat([zstdCompressSync('first '), skipped('a note'), frame])],
    ['behind', Buffer.concat([frame, skipped('a note')])],
    ['behind, with a secret of their own', Buffer.concat([skipped('a note'), frame, skipped(secret)])],
    ['with a secret of their own', Buffer.concat([skipped(`a note ${secret}`), frame])],
  ])('do not keep others from being searched: %s', (_, bytes) => {
    for (const coding of ['', 'zstd']) {
      const { changed, isUnread } = redactedBytes(redactor, bytes, { contentType: '', coding });
      expect(isUnread).toBe(false);
      expect(changed?.includes('a note')).toBe(true);
      expect(changed?.includes(secret)).toBe(false);
      const at = changed?.lastIndexOf(Buffer.from([0x28, 0xb5, 0x2f, 0xfd])) ?? -1;
      expect(zstdDecompressSync(changed?.subarray(at) ?? '').toString()).toMatch(/^the key is \[redacted:/);
    }
  });

  it('that were cut off are told as unread', () => {
    const bytes = skipped('a note').subarray(0, 10);
    expect(redactedBytes(redactor, bytes, { contentType: '', coding: '' }).isUnread).toBe(true);
  });
});

describe('what stands behind packed bytes', () => {
  it.each([
    ['a text', Buffer.from(`the key is ${secret}`)],
    ['other packed bytes', gzipSync(`the key is ${secret}`)],
  ])('is searched, also where these hold no secret: %s', (_, behind) => {
    const { changed } = redactedBytes(redactor, Buffer.concat([zstdCompressSync('first'), behind]), {
      contentType: '',
      coding: '',
    });
    const rest = changed?.subarray(zstdCompressSync('first').length) ?? Buffer.alloc(0);
    const text = rest[0] === 0x1f ? gunzipSync(rest) : rest;
    expect(text.toString()).toMatch(/^the key is \[redacted:/);
  });
});
