import { describe, expect, it } from 'vitest';
import { readMessages } from './message.ts';

describe('readMessages', () => {
  it('reads what was said, thought, called and answered', () => {
    const messages = [
      { role: 'user', parts: [{ type: 'text', content: 'Sell $1,000 worth.' }] },
      {
        role: 'assistant',
        parts: [
          { type: 'reasoning', content: 'A price is needed.' },
          { type: 'tool_call', id: 'c1', name: 'get_quote', arguments: { symbol: 'ACME' } },
        ],
      },
      { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c1', response: '190' }] },
    ];
    expect(readMessages(messages)).toEqual([
      { role: 'user', parts: [{ type: 'text', text: 'Sell $1,000 worth.' }] },
      {
        role: 'assistant',
        parts: [
          { type: 'reasoning', text: 'A price is needed.' },
          { type: 'call', name: 'get_quote', id: 'c1', json: '{"symbol":"ACME"}' },
        ],
      },
      { role: 'tool', parts: [{ type: 'result', id: 'c1', json: '190' }] },
    ]);
  });

  it('takes parts without a role for what the system says', () => {
    expect(readMessages([{ type: 'text', content: 'Be brief.' }])).toEqual([
      { role: 'system', parts: [{ type: 'text', text: 'Be brief.' }] },
    ]);
  });

  it('shows images that came with the message, and no address of elsewhere', () => {
    const image = { type: 'blob', modality: 'image', mime_type: 'image/png', content: 'AAAA' };
    const page = { ...image, mime_type: 'image/svg+xml' };
    const uri = { type: 'uri', modality: 'image', uri: 'https://tracker.example/pixel.png' };
    const [message] = readMessages([{ role: 'user', parts: [image, page, uri] }]);
    expect(message?.parts.map(({ type }) => type)).toEqual(['image', 'other', 'other']);
  });

  it('takes anything', () => {
    for (const value of [undefined, null, 7, 'text', {}, [null, 3], [{ parts: [null, 1] }]])
      expect(Array.isArray(readMessages(value))).toBe(true);
  });
});
