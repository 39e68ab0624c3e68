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
      { role: 'tool', parts: [{ type: 'result', id: 'c1', json: '190', isError: false }] },
    ]);
  });

  it('takes parts without a role for what the system says', () => {
    expect(readMessages([{ type: 'text', content: 'Be brief.' }])).toEqual([
      { role: 'system', parts: [{ type: 'text', text: 'Be brief.' }] },
    ]);
  });

  it('takes anything', () => {
    for (const value of [undefined, null, 7, 'text', {}, [null, 3], [{ parts: [null, 1] }]])
      expect(Array.isArray(readMessages(value))).toBe(true);
  });
});

describe('readMessages, of what came as bytes or from a tool', () => {
  it('shows what came with the message as bytes, runs none of it, and takes no address of elsewhere', () => {
    const image = { type: 'blob', modality: 'image', mime_type: 'image/png', content: 'AAAA' };
    const page = { ...image, mime_type: 'image/svg+xml' };
    const sound = { ...image, modality: 'audio', mime_type: 'audio/wav' };
    const odd = { ...image, mime_type: 'audio/wav"onerror' };
    const unsaid = { ...image, modality: 'audio', mime_type: null };
    const uri = { type: 'uri', modality: 'image', uri: 'https://tracker.example/pixel.png' };
    const [message] = readMessages([{ role: 'user', parts: [image, page, sound, odd, unsaid, uri] }]);
    expect(
      message?.parts.map((part) => (part.type === 'media' ? (part.element ?? part.mediaType) : part.type)),
    ).toEqual(['img', 'image/svg+xml', 'audio', 'audio/wav"onerror', 'audio', 'other']);
  });

  it('reads of a tool whether it says that it failed, and what it showed', () => {
    const png = { type: 'image', mimeType: 'image/png', data: 'AAAA' };
    const anthropic = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };
    const openai = { type: 'input_image', image_url: 'data:image/png;base64,AAAA' };
    const said = { type: 'text', text: 'the desk' };
    const answers = [
      { response: { content: [said, png], isError: true } },
      { response: [said, anthropic], is_error: true },
      { response: [openai] },
      { response: [said, { type: 'order', data: 'AAAA' }] },
      { response: [{ type: 'input_image', image_url: 'https://tracker.example/pixel.png' }] },
    ];
    const parts = answers.map((answer) => ({ type: 'tool_call_response', ...answer }));
    const [message] = readMessages([{ role: 'tool', parts }]);
    const read = message?.parts.map((part) =>
      part.type === 'result' ? [part.isError, part.parts?.map(({ type }) => type)] : part.type,
    );
    expect(read).toEqual([
      [true, ['text', 'media']],
      [true, ['text', 'media']],
      [false, ['media']],
      [false, undefined],
      [false, undefined],
    ]);
  });

  it('reads what a tool of the provider was asked and answered', () => {
    const call = {
      type: 'server_tool_call',
      id: 's1',
      name: 'web_search',
      server_tool_call: { input: { query: 'a' } },
    };
    const content = { type: 'web_search_tool_result_error', error_code: 'unavailable' };
    const answer = { type: 'server_tool_call_response', id: 's1', server_tool_call_response: { content } };
    expect(readMessages([{ role: 'assistant', parts: [call, answer] }])[0]?.parts).toMatchObject([
      { type: 'call', name: 'web_search', json: '{"query":"a"}' },
      { type: 'result', id: 's1', isError: true },
    ]);
  });
});
