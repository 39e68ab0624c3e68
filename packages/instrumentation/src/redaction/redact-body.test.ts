import {
  brotliCompressSync,
  brotliDecompressSync,
  deflateSync,
  gunzipSync,
  gzipSync,
  inflateSync,
  zstdCompressSync,
  zstdDecompressSync,
} from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { REDACTED_COMPRESSED_BYTES_MAX } from '../limits.ts';
import { comparableText } from './placeholder.ts';
import { redactedCompressed } from './redact-body.ts';
import { Redactor } from './redactor.ts';

const key = { bytes: Buffer.from('a test key'), id: 'test', source: 'environment' } as const;
const redactor = new Redactor({ options: {}, key: () => key });
const body = JSON.stringify({ user: 'ada', password: 'hunter2-hunter2', list: [1, 2] });
const json = 'application/json';

describe('a compressed body', () => {
  it.each([
    ['gzip', gzipSync, gunzipSync],
    ['x-gzip', gzipSync, gunzipSync],
    ['deflate', deflateSync, inflateSync],
    [' BR ', brotliCompressSync, brotliDecompressSync],
    ['zstd', zstdCompressSync, zstdDecompressSync],
  ] as const)('of coding %j loses its secrets and nothing else', (coding, pack, unpack) => {
    const changed = redactedCompressed(redactor, pack(Buffer.from(body)), coding, json);
    expect(changed).toBeInstanceOf(Buffer);
    expect(comparableText(unpack(changed as Buffer).toString('utf8'), 'dropped')).toBe(
      body.replace('hunter2-hunter2', '[redacted]'),
    );
    expect(redactedCompressed(redactor, pack(Buffer.from('{"a":1}')), coding, json)).toBe('untouched');
  });

  it.each([
    ['of an unknown coding', 'compress', Buffer.from(body)],
    ['of two codings', 'gzip, br', brotliCompressSync(gzipSync(body))],
    ['that is cut off', 'gzip', gzipSync(body).subarray(0, 20)],
    ['that is none', 'gzip', Buffer.from(body)],
    ['that is too long', 'gzip', Buffer.alloc(REDACTED_COMPRESSED_BYTES_MAX + 1)],
    ['that grows beyond measure', 'gzip', gzipSync(Buffer.alloc(512 * 1024 * 1024))],
  ])('%s is told as unread', (_, coding, bytes) => {
    expect(redactedCompressed(redactor, bytes, coding, json)).toBe('unread');
  });
});
