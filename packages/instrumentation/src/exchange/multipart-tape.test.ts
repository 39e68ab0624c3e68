import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { MultipartTape, multipartBoundary } from './multipart-tape.ts';

const boundary = 'between-42';

function body(...parts: readonly (readonly [headers: string, content: string | Buffer])[]): Buffer {
  const pieces = parts.flatMap(([headers, content]) => [
    Buffer.from(`--${boundary}\r\n${headers}\r\n\r\n`),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]);
}

const field = 'Content-Disposition: form-data; name="purpose"';
const file = 'Content-Disposition: form-data; name="file"; filename="a \\"b\\".bin"\r\nContent-Type: audio/wav';

function tapeOf(bytes: Buffer, chunkBytes: number, bytesMax = 1_000): MultipartTape {
  const tape = new MultipartTape(boundary, bytesMax);
  for (let at = 0; at < bytes.length; at += chunkBytes) tape.keep(bytes.subarray(at, at + chunkBytes));
  return tape;
}

describe('a form that passes by', () => {
  const almost = `\r\n--${boundary.slice(0, -1)}\r\n--`;
  const bytes = body([field, 'vision\r\n'], [file, Buffer.from([255, 0, 1])], [file, `text${almost}`], [field, '']);

  it.each([1, 2, 7, 64, 10_000])('is taken apart where it comes in chunks of %d bytes', (chunkBytes) => {
    const tape = tapeOf(bytes, chunkBytes);
    expect(tape.isWhole).toBe(true);
    const told = { name: 'a \\"b\\".bin', type: 'audio/wav' };
    expect(tape.entries).toEqual([
      { name: 'purpose', value: 'vision\r\n' },
      { name: 'file', file: { ...told, content: { base64: '/wAB' } } },
      { name: 'file', file: { ...told, content: { text: `text${almost}` } } },
      { name: 'purpose', value: '' },
    ]);
  });

  it('is told as far as it has come', () => {
    const tape = tapeOf(bytes.subarray(0, bytes.indexOf('text') + 4), 50);
    expect(tape.isWhole).toBe(false);
    tape.finish();
    expect(tape.entries?.map((entry) => entry.value ?? entry.file?.content)).toEqual([
      'vision\r\n',
      { base64: '/wAB' },
      { text: 'text' },
    ]);
  });

  it('keeps so many bytes in all, and of files that have no room length and digest', () => {
    const long = Buffer.alloc(70, 'x');
    const tape = tapeOf(body([field, 'short'], [file, long], [file, 'fits']), 16, 60);
    const sha256 = createHash('sha256').update(long).digest('hex');
    expect(tape.entries?.map((entry) => entry.value ?? entry.file?.content)).toEqual([
      'short',
      { bytes: 70, sha256 },
      { text: 'fits' },
    ]);
  });

  it('is none where it does not begin with the mark, a part has no name, or its headers have no end', () => {
    expect(tapeOf(Buffer.from(`preamble\r\n--${boundary}\r\n`), 5).entries).toBeUndefined();
    expect(tapeOf(body(['Content-Type: text/plain', 'x']), 5).entries).toBeUndefined();
    expect(tapeOf(Buffer.concat([Buffer.from(`--${boundary}\r\n`), Buffer.alloc(20_000, 'h')]), 999).entries).toBe(
      undefined,
    );
  });
});

it('the mark between the parts is read off the content type', () => {
  expect(multipartBoundary('multipart/form-data; boundary=abc')).toBe('abc');
  expect(multipartBoundary('Multipart/Form-Data; charset=x; boundary="a b"')).toBe('a b');
  expect(multipartBoundary('application/json; boundary=abc')).toBeUndefined();
  expect(multipartBoundary(undefined)).toBeUndefined();
});
