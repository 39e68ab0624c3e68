import { gunzipSync, gzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { decodeValue, encodeValue } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import { Redactor } from '../redactor/redactor.ts';
import { redactedChunks } from './redact-value.ts';

const secret = `sk-${'aB3dEf6hIj'.repeat(4)}`;
const token = /\[redacted:openai-key:[0-9a-f]{16}\]/;
const redactor = new Redactor({
  options: {},
  key: () => ({ bytes: Buffer.from('a test key'), id: 'test', source: 'environment' }),
});

function inPiecesOf(bytes: Buffer, lengths: readonly number[]): Buffer[] {
  let at = 0;
  const pieces = lengths.map((length) => {
    at += length;
    return bytes.subarray(at - length, at);
  });
  return [...pieces, bytes.subarray(at)];
}

interface Searched {
  readonly pieces: Buffer[];
  readonly unread: (readonly string[])[];
  readonly redacted: boolean[];
}

function searched(pieces: readonly Buffer[]): Searched {
  const chunks = redactedChunks(
    redactor,
    pieces.map((data, index) => ({ offsetUs: index, value: encodeValue({ data }) })),
  );
  return {
    pieces: chunks.map(({ value: { payload } }) => (decodeValue(payload) as { data: Buffer }).data),
    unread: chunks.map(({ value }) => value.unread ?? []),
    redacted: chunks.map(({ value }) => value.redacted !== undefined),
  };
}

const note = Buffer.from(`a note with ${secret} in it, and more: ${'word '.repeat(50)}`);

describe('bytes that are packed as one and come in pieces', () => {
  it.each([
    ['gzip', gzipSync, gunzipSync, [20, 30]],
    ['zstd', zstdCompressSync, zstdDecompressSync, [20, 30]],
    ['gzip, a byte at first', gzipSync, gunzipSync, [1, 1, 1, 1, 20]],
  ])('are unpacked, and are what can be unpacked afterwards: %s', (_name, pack, unpack, lengths) => {
    const { pieces, unread } = searched(inPiecesOf(pack(note), lengths));
    const text = unpack(Buffer.concat(pieces)).toString();
    expect(text).toMatch(token);
    expect(text).not.toContain(secret);
    expect(text.replace(token, secret)).toBe(note.toString());
    expect(pieces.map(({ length }) => length).slice(0, -1)).toEqual(lengths);
    expect(unread.flat()).toEqual([]);
  });

  it('stay as they were where they hold no secret, and nothing is said of them', () => {
    const given = inPiecesOf(gzipSync(Buffer.from('nothing in it')), [10, 10]);
    expect(searched(given)).toEqual({
      pieces: given,
      unread: [[], [], []],
      redacted: [false, false, false],
    });
  });

  it('are told from pieces that are packed one by one, and from what stands beside them', () => {
    const plain = Buffer.from([0xff, 0, 0xfe]);
    const { pieces } = searched([plain, gzipSync(note), gzipSync('clean'), plain, ...inPiecesOf(gzipSync(note), [30])]);
    const [first, own, clean, behind, ...together] = pieces;
    expect([first, behind]).toEqual([plain, plain]);
    expect(gunzipSync(own ?? plain).toString()).toMatch(token);
    expect(gunzipSync(clean ?? plain).toString()).toBe('clean');
    expect(gunzipSync(Buffer.concat(together)).toString()).toMatch(token);
  });

  it('are told of, piece by piece, where they were broken off', () => {
    const { unread, redacted } = searched(inPiecesOf(gzipSync(note).subarray(0, 60), [20]));
    expect(unread).toEqual([['/data/base64'], ['/data/base64']]);
    expect(redacted).toEqual([false, false]);
  });
});

describe('frames of zstd behind one another', () => {
  it('are all searched, and none is lost', () => {
    const frames = [zstdCompressSync(note), zstdCompressSync(`behind it ${secret}`)];
    const { pieces, unread } = searched([Buffer.concat(frames)]);
    const [whole = Buffer.alloc(0)] = pieces;
    const second = whole.indexOf(Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), 1);
    const texts = [whole.subarray(0, second), whole.subarray(second)].map((frame) =>
      zstdDecompressSync(frame).toString(),
    );
    expect(texts).toEqual([expect.stringMatching(token), expect.stringMatching(token)]);
    expect(unread).toEqual([[]]);
  });
});
