import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readEventStream, type StreamMessage } from './event-stream.ts';

async function* cut(text: string, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  let at = 0;
  for (const size of [...sizes, bytes.length]) {
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

async function read(text: string, sizes: readonly number[] = []): Promise<StreamMessage[]> {
  const messages: StreamMessage[] = [];
  for await (const message of readEventStream(cut(text, sizes))) messages.push(message);
  return messages;
}

describe('readEventStream', () => {
  it('reads ids, events and data of several lines, and passes over comments and fields it does not know', async () => {
    const text = 'id: 4\n: hello\n\nid: 5\nevent: run\ndata: a\ndata:b\nretry: 9\n\n: beat\n\ndata: c\n\n';
    expect(await read(text)).toEqual([
      { id: '4', event: 'message', data: '' },
      { id: '5', event: 'run', data: 'a\nb' },
      { id: '5', event: 'message', data: 'c' },
    ]);
  });

  it('leaves out a message that was cut off', async () => {
    expect(await read('data: whole\n\ndata: cut')).toEqual([{ id: undefined, event: 'message', data: 'whole' }]);
  });

  it('reads the same however the bytes are cut', async () => {
    const data = fc.array(
      fc.string({ unit: 'binary' }).filter((text) => !/[\r\n]/.test(text)),
      { minLength: 1 },
    );
    const end = fc.constantFrom('\n', '\r\n');
    await fc.assert(
      fc.asyncProperty(fc.array(data), end, fc.array(fc.nat({ max: 9 })), async (messages, newline, sizes) => {
        const text = messages.map((lines) => [...lines.map((line) => `data: ${line}`), '', ''].join(newline)).join('');
        const found = await read(text, sizes);
        expect(found.map((message) => message.data)).toEqual(
          messages.map((lines) => Buffer.from(lines.join('\n')).toString()),
        );
      }),
    );
  });
});
