import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { GivenInput } from './given-input.ts';

/** What the stream gives, chunk by chunk, until its end. */
async function given(input: GivenInput): Promise<string[]> {
  const chunks: string[] = [];
  input.stdin.on('data', (chunk) => chunks.push(String(chunk)));
  await once(input.stdin, 'end');
  return chunks;
}

describe('GivenInput', () => {
  it('gives each piece once, in the chunks in which it came', async () => {
    const pieces = [
      { place: 0, data: 'hi\r', keys: [1, 1, 1] },
      { place: 1, data: Uint8Array.of(0x68, 0x6f) },
      { place: 2, data: 'x'.repeat(65_537) },
      { place: 3 },
    ];
    const input = new GivenInput(pieces);
    const chunks = given(input);
    input.give([...pieces.slice(0, 2), ...pieces.slice(1)]);
    expect((await chunks).map((chunk) => (chunk.length > 3 ? chunk.length : chunk))).toEqual([
      'h',
      'i',
      '\r',
      'ho',
      65_536,
      'x',
    ]);
  });

  it('gives the key that ends a line by itself where the line was redacted', async () => {
    const pieces = [
      { place: 0, data: '[redacted:a]\r', keys: [1, 1, 1] },
      { place: 1, password: '[redacted:b]', data: '\r' },
      { place: 2 },
    ];
    const input = new GivenInput(pieces);
    const chunks = given(input);
    input.give(pieces);
    expect(await chunks).toEqual(['[redacted:a]', '\r', '[redacted:b]', '\r']);
  });

  it('leaves the program turns between two keys', async () => {
    const pieces = [{ place: 0, data: 'ab', keys: [1, 1] }, { place: 1 }];
    const input = new GivenInput(pieces);
    const told: string[] = [];
    input.stdin.on('data', (chunk) => {
      told.push(`key ${chunk}`);
      setImmediate(() => setImmediate(() => told.push(`shown ${chunk}`)));
    });
    input.give(pieces);
    await once(input.stdin, 'end');
    expect(told).toEqual(['key a', 'shown a', 'key b', 'shown b']);
  });
});

describe('the stream of a GivenInput', () => {
  it('is a terminal where one gave it, which takes the modes of one', () => {
    const { stdin } = new GivenInput([{ place: 0, data: 'a', isTerminal: true }]);
    expect([stdin.isTTY, stdin.setRawMode(true).isRaw, stdin.ref(), stdin.unref()]).toEqual([true, true, stdin, stdin]);
    expect(new GivenInput([{ place: 0, data: 'a' }]).stdin.isTTY).toBe(undefined);
  });

  it('goes into other streams as that of the platform does', async () => {
    const pieces = [{ place: 0, data: 'all of it' }, { place: 1 }];
    const input = new GivenInput(pieces);
    const out = text(input.stdin.pipe(new PassThrough()));
    input.give(pieces);
    expect(await out).toBe('all of it');
  });

  it('holds out what is read like a file in order of its places, and tells who reads it first', () => {
    const input = new GivenInput([]);
    const read: number[] = [];
    for (const place of [1, 0, 2, 1]) {
      const data = ['first', 'second', undefined][place];
      input.holdOut({ place, ...(data !== undefined && { data }) }, () => read.push(place));
    }
    const parts = [3, 30, 30, 30, 30].map((lengthMax) => Buffer.from(input.readFile(lengthMax)).toString());
    expect(parts).toEqual(['fir', 'st', 'second', '', '']);
    expect(read).toEqual([0, 1, 2]);
  });
});
