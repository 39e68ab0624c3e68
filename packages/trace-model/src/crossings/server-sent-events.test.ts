import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readServerSentEvents } from './server-sent-events.ts';

describe('readServerSentEvents', () => {
  it.each([
    ['', []],
    ['data: a\n\n', [{ event: undefined, data: 'a' }]],
    ['data:a\ndata: b\n\n', [{ event: undefined, data: 'a\nb' }]],
    ['event: done\r\ndata: {}\r\n\r\n', [{ event: 'done', data: '{}' }]],
    [': comment\n\nevent: without data\n\ndata: x\n\n', [{ event: undefined, data: 'x' }]],
    ['data\n\n', [{ event: undefined, data: '' }]],
    ['\uFEFFdata: first\n\n', [{ event: undefined, data: 'first' }]],
    ['data: broken off', [{ event: undefined, data: 'broken off' }]],
    ['data:  two spaces\r\r', [{ event: undefined, data: ' two spaces' }]],
  ])('reads %j', (text, events) => {
    expect(readServerSentEvents(text)).toEqual(events);
  });

  it('gives back what a server wrote, with any line ending', () => {
    const line = fc.string({ unit: 'grapheme' }).filter((text) => !/[\r\n\uFEFF]/.test(text));
    const name = fc.option(
      line.filter((text) => text !== ''),
      { nil: undefined },
    );
    const event = fc.record({ event: name, data: fc.array(line, { minLength: 1 }) });
    fc.assert(
      fc.property(fc.array(event), fc.constantFrom('\n', '\r\n', '\r'), (events, ending) => {
        const text = events.map(
          (item) =>
            [
              ...(item.event === undefined ? [] : [`event: ${item.event}`]),
              ...item.data.map((data) => `data: ${data}`),
              '',
            ].join(ending) + ending,
        );
        const expected = events.map((item) => ({ event: item.event, data: item.data.join('\n') }));
        expect(readServerSentEvents(text.join(''))).toEqual(expected);
      }),
    );
  });
});
