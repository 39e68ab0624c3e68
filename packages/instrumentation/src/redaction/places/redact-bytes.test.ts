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
import { describe, expect, it, vi } from 'vitest';
import { REDACTED_COMPRESSED_BYTES_MAX, REDACTED_PACKED_PARTS_MAX, REDACTED_UNPACKED_BYTES_MAX } from '../../limits.ts';
import { comparableText } from '../redactor/comparable-text.ts';
import { Redactor } from '../redactor/redactor.ts';
import { redactedBytes } from './redact-bytes.ts';

const key = { bytes: Buffer.from('a test key'), id: 'test', source: 'environment' } as const;
const redactor = new Redactor({ options: {}, key: () => key });
const body = JSON.stringify({ user: 'ada', password: 'hunter2-hunter2', list: [1, 2] });
const contentType = 'application/json';
const untouched = { changed: undefined, isUnread: false };

describe('a compressed body', () => {
  it.each([
    ['gzip', gzipSync, gunzipSync],
    ['x-gzip', gzipSync, gunzipSync],
    ['deflate', deflateSync, inflateSync],
    [' BR ', brotliCompressSync, brotliDecompressSync],
    ['zstd', zstdCompressSync, zstdDecompressSync],
  ] as const)('of coding %j loses its secrets and nothing else', (coding, pack, unpack) => {
    const { changed } = redactedBytes(redactor, pack(Buffer.from(body)), { coding, contentType });
    expect(changed).toBeInstanceOf(Buffer);
    expect(comparableText(unpack(changed as Buffer).toString('utf8'), 'dropped')).toBe(
      body.replace('hunter2-hunter2', '[redacted]'),
    );
    expect(redactedBytes(redactor, pack(Buffer.from('{"a":1}')), { coding, contentType })).toEqual(untouched);
  });

  it.each([
    ['of an unknown coding', 'compress', Buffer.from(body)],
    ['of two codings', 'gzip, br', brotliCompressSync(gzipSync(body))],
    ['that is cut off', 'gzip', gzipSync(body).subarray(0, 20)],
    ['that is none', 'gzip', Buffer.from(body)],
    ['that is too long', 'gzip', Buffer.alloc(REDACTED_COMPRESSED_BYTES_MAX + 1)],
    ['that grows beyond measure', 'gzip', gzipSync(Buffer.alloc(512 * 1024 * 1024))],
  ])('%s is told as unread', (_, coding, bytes) => {
    expect(redactedBytes(redactor, bytes, { coding, contentType }).isUnread).toBe(true);
  });
});

const secret = `sk-${'aB3dEf6hIj'.repeat(4)}`;
const nothingSaid = { contentType: '', coding: '' };

/** A message of one text field; its bytes are characters all of them. */
function fieldOf(text: string): Buffer {
  return Buffer.from([0x12, text.length, ...Buffer.from(text)]);
}

function unpackedIfWhole(bytes: Buffer): Buffer {
  return bytes.includes('[redacted') ? bytes : gunzipSync(bytes);
}

describe('bytes', () => {
  it.each([
    ['that say themselves that they are packed', gzipSync(fieldOf(secret))],
    ['of a message that is a text by chance', fieldOf(secret)],
    ['with the text before them in the way', Buffer.concat([Buffer.from('\u0001abc'), fieldOf(secret)])],
    [
      'that look like a frame that is packed',
      Buffer.from([1, 0, 0, 0, secret.length, 0xff, ...Buffer.from(` ${secret} `)]),
    ],
    ['behind the end of what is packed', Buffer.concat([gzipSync('{"a":1}'), Buffer.from(` ${secret} `)])],
    ['of a text that begins like a sound', Buffer.from(`ID3,key ${secret}`)],
    ['that are nothing known', Buffer.concat([Buffer.from([0x89, 0x50, 0x00, 0xff]), Buffer.from(`key ${secret} `)])],
  ])('%s lose their secrets', (_, bytes) => {
    const { changed } = redactedBytes(redactor, bytes, nothingSaid);
    const unpacked = changed?.[0] === 0x1f ? unpackedIfWhole(changed) : changed;
    expect(unpacked?.includes(secret)).toBe(false);
    expect(comparableText(unpacked?.toString('latin1') ?? '', 'dropped')).toContain('[redacted]');
  });
});

describe('bytes of one kind', () => {
  it.each([
    ['PNG', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d])],
    ['WebP', Buffer.from('RIFF\u0001\u0002\u0003\u0000WEBP')],
    ['MP4', Buffer.from('\u0000\u0000\u0000\u0020ftypisom')],
  ])('of a picture or a film are not searched: %s', (_, head) => {
    const bytes = Buffer.concat([head, Buffer.from([0xff, 0xfe]), Buffer.from(secret)]);
    expect(redactedBytes(redactor, bytes, nothingSaid)).toEqual(untouched);
  });

  it('of a message stay as many as they were, though each is a character', () => {
    const { changed } = redactedBytes(redactor, fieldOf(secret), nothingSaid);
    expect([changed?.[1], changed?.length]).toEqual([secret.length, secret.length + 2]);
  });

  it('in frames stay as many, though each message is JSON', () => {
    const message = JSON.stringify({ note: secret });
    const frame = Buffer.concat([Buffer.from([0, 0, 0, 0, message.length]), Buffer.from(message)]);
    const { changed } = redactedBytes(redactor, Buffer.concat([frame, frame]), {
      contentType: 'application/connect+json',
      coding: '',
    });
    expect([changed?.length, changed?.includes(secret)]).toEqual([2 * frame.length, false]);
    expect(JSON.parse(changed?.subarray(5, frame.length).toString() ?? '')).toEqual({
      note: expect.stringContaining('[redacted:'),
    });
  });

  it('in frames are told as unread where one is packed by nobody knows what, and the others are searched', () => {
    const frame = (flags: number, message: Buffer): Buffer => {
      const head = Buffer.from([flags, 0, 0, 0, message.length]);
      return Buffer.concat([head, message]);
    };
    const body = Buffer.concat([frame(1, Buffer.from('snappy?')), frame(0, fieldOf(secret))]);
    const { changed, isUnread } = redactedBytes(redactor, body, {
      contentType: 'application/grpc-web+proto',
      coding: '',
    });
    expect([isUnread, changed?.length, changed?.includes(secret)]).toEqual([true, body.length, false]);
  });

  it('are withheld where a rule fails, packed or not', () => {
    const find = (): never => {
      throw new Error('a rule of the user');
    };
    const failing = new Redactor({ options: { rules: [{ id: 'own', why: 'x', find }] }, key: () => key });
    expect(() => redactedBytes(failing, gzipSync('{"a":"b"}'), nothingSaid)).toThrow('a rule of the user');
  });

  it('of colours in a terminal are a text', () => {
    const text = `\u001b[31m ${secret}\u001b[0m`;
    const { changed } = redactedBytes(redactor, Buffer.from(text), nothingSaid);
    expect(comparableText(changed?.toString() ?? '', 'dropped')).toBe('\u001b[31m [redacted]\u001b[0m');
  });
});

const clean = zstdCompressSync('{"a":1}');
const withSecret = zstdCompressSync(JSON.stringify({ note: secret }));

function timesOf(bytes: Buffer, count: number): Buffer {
  return Buffer.concat(Array.from({ length: count }, () => bytes));
}

function inFrames(message: Buffer, count: number): Buffer {
  const head = Buffer.alloc(5, 1);
  head.writeUInt32BE(message.length, 1);
  return timesOf(Buffer.concat([head, message]), count);
}

describe('many bytes that are packed each by itself', () => {
  it('are searched as they are once and not again behind each of them', () => {
    const mayHold = vi.spyOn(redactor, 'mayHold');
    const count = 200;
    const bytes = timesOf(clean, count);
    expect(redactedBytes(redactor, bytes, nothingSaid)).toEqual(untouched);
    const looked = mayHold.mock.calls.reduce((sum, [text]) => sum + text.length, 0);
    mayHold.mockRestore();
    expect(looked).toBeLessThan(10 * bytes.length);
  });

  it('lose their secrets up to a number of them, and beyond it are told as unread', () => {
    const most = Buffer.concat([timesOf(clean, REDACTED_PACKED_PARTS_MAX - 1), withSecret]);
    const searched = redactedBytes(redactor, most, nothingSaid);
    const last = searched.changed?.subarray(most.length - withSecret.length) ?? Buffer.alloc(0);
    expect(searched.isUnread).toBe(false);
    expect(zstdDecompressSync(last).toString()).toContain('[redacted:');
    const more = redactedBytes(redactor, timesOf(clean, 30_000), nothingSaid);
    expect(more).toEqual({ changed: undefined, isUnread: true });
  });

  it('may grow to no more together than one of them', () => {
    const third = zstdCompressSync(Buffer.alloc(Math.ceil(REDACTED_UNPACKED_BYTES_MAX / 3), 0xff));
    expect(redactedBytes(redactor, timesOf(third, 2), nothingSaid).isUnread).toBe(false);
    expect(redactedBytes(redactor, timesOf(third, 3), nothingSaid).isUnread).toBe(true);
    const grpcWeb = { contentType: 'application/grpc-web+proto', coding: '' };
    expect(redactedBytes(redactor, inFrames(third, 2), grpcWeb).isUnread).toBe(false);
    expect(redactedBytes(redactor, inFrames(third, 3), grpcWeb).isUnread).toBe(true);
  });

  it.each([
    ['in each other', (bytes: Buffer) => gzipSync(bytes, { level: 0 })],
    ['behind each other in frames', (bytes: Buffer) => inFrames(Buffer.concat([clean, bytes]), 1)],
  ])('are told as unread where they are packed %s without end', (_, pack) => {
    let bytes: Buffer = Buffer.from('{"a":1}');
    for (let depth = 0; depth < 4_000; depth += 1) bytes = pack(bytes);
    expect(redactedBytes(redactor, bytes, nothingSaid)).toEqual({ changed: undefined, isUnread: true });
  });
});
