import { encodeValue } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import { redactedBodyChunks } from '../places/redact-chunks.ts';
import { redactedValue } from '../places/redact-value.ts';
import { Redactor } from '../redactor/redactor.ts';

const secret = `sk-${'aB3dEf6hIj'.repeat(4)}`;
const redactor = new Redactor({
  options: {},
  key: () => ({ bytes: Buffer.from('a test key'), id: 'test', source: 'environment' }),
});
const contentType = 'application/grpc-web-text+proto';

/** A message with a text in its first field, in its frame. */
function framed(text: string): Buffer {
  const content = Buffer.from(text);
  const message = Buffer.concat([Buffer.from([0x0a, content.length]), content]);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

function read(text: string): string {
  return text
    .split(/(?<==)(?!=)/)
    .map((piece) => Buffer.from(piece, 'base64').toString('latin1'))
    .join('');
}

describe('gRPC-Web in base64', () => {
  const frames = [framed('nothing here'), framed(`a key: ${secret}`), framed('more')];
  it.each([
    ['in one piece', [Buffer.concat(frames).toString('base64')]],
    ['a frame a piece', frames.map((frame) => frame.toString('base64'))],
    [
      'in chunks that end anywhere',
      Buffer.concat(frames)
        .toString('base64')
        .match(/.{1,7}/g) ?? [],
    ],
  ])('loses its secrets and keeps its length: an answer %s', (_, pieces) => {
    const chunks = pieces.map((piece, index): [number, string] => [index, piece]);
    const { changed } = redactedBodyChunks(redactor, { chunks, isWhole: true, contentType, coding: '' });
    const text = (changed ?? chunks).map(([, data]) => String(data)).join('');
    expect(read(text)).not.toContain(secret);
    expect(read(text)).toMatch(/\[redacted:openai-key:[0-9a-f]{16}\]/);
    expect(text).toHaveLength(pieces.join('').length);
    expect(read(text)).toContain('more');
  });

  it('loses its secrets in a request', () => {
    const body = { text: Buffer.concat(frames).toString('base64') };
    const request = { method: 'POST', url: 'https://h.example/a.B/C', contentType, body };
    const { payload, redacted } = redactedValue(redactor, encodeValue(request));
    const data = JSON.parse(payload.data ?? '') as typeof request;
    expect(read(data.body.text)).not.toContain(secret);
    expect(redacted).toEqual(['/body/text']);
  });

  it('is searched as it is where it is something else', () => {
    const chunks: [number, string][] = [[0, `no base64: ${secret}`]];
    const { changed } = redactedBodyChunks(redactor, { chunks, isWhole: true, contentType, coding: '' });
    expect(JSON.stringify(changed)).not.toContain(secret);
  });
});
