import { type Exchange, encodeValue } from '@reenact/trace-model';

const sentences = [
  'The order was placed at the limit that the customer had set the day before.',
  'Its side effects are described under https://docs.example.com/orders?page=2&sort=asc, with 12 examples.',
  'Please summarise what changed between revision 41 and 42; passages about tokens and passwords count, too.',
  'Aside from that, the author of the pattern said: "spin it up, then patch the side car".',
];

/** Prose of at least so many characters, with words in it that names of secrets begin or end with, and no secret. */
export function proseOf(characters: number): string {
  let text = '';
  for (let index = 0; text.length < characters; index += 1) text += `${sentences[index % sentences.length]} `;
  return text;
}

/** A request as a chat model gets it, with about so many characters in its messages. */
export function conversationOf(characters: number): object {
  const part = proseOf(characters / 3);
  return {
    model: 'gpt-5',
    temperature: 0.2,
    max_completion_tokens: 2_048,
    messages: [
      { role: 'system', content: part },
      { role: 'user', content: part },
      { role: 'assistant', content: part, tool_calls: [] },
    ],
  };
}

/** How a provider streams. */
export type StreamProtocol = 'chat completions' | 'responses' | 'messages';

function eventOf(protocol: StreamProtocol, piece: string, index: number): string {
  const id = 'chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT';
  switch (protocol) {
    case 'chat completions': {
      const choices = [{ index: 0, delta: { content: piece }, logprobs: null, finish_reason: null }];
      const head = { id, object: 'chat.completion.chunk', created: 1_763_700_000, model: 'gpt-5-2025-08-07' };
      const obfuscation = 'aBcDeFgHiJkL'.slice(index % 7);
      return `data: ${JSON.stringify({ ...head, service_tier: 'default', choices, usage: null, obfuscation })}\n\n`;
    }
    case 'responses': {
      const type = 'response.output_text.delta';
      const place = { item_id: 'msg_68af2d3f1c3c8190a7', output_index: 0, content_index: 0 };
      const event = { type, sequence_number: index, ...place, delta: piece, logprobs: [] };
      return `event: ${type}\ndata: ${JSON.stringify(event)}\n\n`;
    }
    case 'messages': {
      const event = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: piece } };
      return `event: content_block_delta\ndata: ${JSON.stringify(event)}\n\n`;
    }
  }
}

/** Prose in pieces as long as those that models stream: about a word each. */
export function piecesOf(count: number): string[] {
  const words = proseOf(count * 8).match(/\s?\S{1,6}/g) ?? [];
  return words.slice(0, count);
}

/** One exchange with a streamed answer, each event a chunk of its own. */
export function streamedExchange(protocol: StreamProtocol, pieces: readonly string[]): Exchange {
  return {
    layer: 'fetch',
    attempt: 0,
    startedAtUnixNano: '1763700000000000000',
    request: {
      method: 'POST',
      url: 'https://api.example.com/v1/answers',
      headers: [['content-type', 'application/json']],
      body: { sameAs: 'input' },
    },
    response: {
      status: 200,
      statusText: 'OK',
      url: 'https://api.example.com/v1/answers',
      headers: [['content-type', 'text/event-stream; charset=utf-8']],
      headersAfterUs: 10_000,
      hasBody: true,
      chunks: pieces.map((piece, index) => [index * 20_000, eventOf(protocol, piece, index)]),
      end: 'complete',
      endAfterUs: pieces.length * 20_000,
    },
  };
}

/** The chunks of a stream that is recorded as values. */
export function streamedChunks(
  pieces: readonly string[],
): { readonly offsetUs: number; readonly value: ReturnType<typeof encodeValue> }[] {
  return pieces.map((delta, index) => ({
    offsetUs: index * 20_000,
    value: encodeValue({ type: 'text-delta', delta }),
  }));
}
