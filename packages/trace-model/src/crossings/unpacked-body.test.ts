import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../json/json-tree.ts';
import { payloadOf } from '../payloads/payload.ts';
import { CANONICAL_POLICIES, canonicalKey, canonicalTree } from './canonical-input.ts';
import { UNPACKED_BODY_BYTES_MAX } from './unpacked-body.ts';

const { httpRequest } = CANONICAL_POLICIES;
const events = JSON.stringify({ batch: [{ event: 'asked', uuid: '01a2' }], sent_at: 1 });

function request(bytes: Buffer, coding: string, contentType = 'application/json'): object {
  const url = 'https://events.example/batch/';
  const headers = { 'content-encoding': coding };
  return { method: 'POST', url, contentType, headers, body: { base64: bytes.toString('base64') } };
}

const bodyOf = (input: object): unknown => (canonicalTree(httpRequest, input) as { body: unknown }).body;
const keyOf = (input: object): string => canonicalKey(httpRequest, payloadOf('json', JSON.stringify(input)));

describe('a compressed body', () => {
  it.each([
    ['gzip', gzipSync],
    ['GZIP', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
  ])('is compared by what was compressed to it: %s', (coding, pack) => {
    expect(bodyOf(request(pack(Buffer.from(events)), coding))).toEqual({ json: JSON.parse(events) });
  });

  it('is equal however well it was compressed, while match keys go on to tell the bytes that were sent', () => {
    const [fast, small] = [1, 9].map((level) => gzipSync(Buffer.from(events.repeat(20)), { level }));
    if (fast === undefined || small === undefined) throw new TypeError('two were made');
    const inputs = [fast, small].map((bytes) => request(bytes, 'gzip', 'text/plain'));
    expect(new Set(inputs.map((input) => canonicalJson(canonicalTree(httpRequest, input)))).size).toBe(1);
    expect(new Set(inputs.map(keyOf)).size).toBe(2);
    expect(bodyOf(inputs[0] ?? {})).toEqual({ text: events.repeat(20) });
  });

  it.each([
    ['that is none', request(Buffer.from(events), 'gzip')],
    ['that is cut off', request(gzipSync(Buffer.from(events.repeat(50))).subarray(0, 40), 'gzip')],
    ['of no text', request(gzipSync(Buffer.from([0xff, 0xfe, 0x00])), 'gzip')],
    ['with more behind its end', request(Buffer.concat([brotliCompressSync(events), Buffer.from('more')]), 'br')],
    ['in two frames of zstd', request(Buffer.concat([zstdCompressSync('one'), zstdCompressSync('two')]), 'zstd')],
    ['of an unknown coding', request(gzipSync(Buffer.from(events)), 'gzip, br')],
    ['of a larger body than is unpacked', request(gzipSync(Buffer.alloc(UNPACKED_BODY_BYTES_MAX + 1, 'a')), 'gzip')],
  ])('is compared as it was sent: one %s', (_name, input) => {
    expect(bodyOf(input)).toEqual((input as { body: unknown }).body);
  });
});
