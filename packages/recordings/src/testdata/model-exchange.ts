import type { Exchange } from '@reenact/trace-model';

/** One answered model request: a JSON body, or the events of a stream, as text of one chunk. */
export function modelExchange(body: unknown, options: { readonly isStream?: boolean } = {}): Exchange {
  const isStream = options.isStream === true;
  const text = isStream
    ? (body as readonly unknown[]).map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
    : JSON.stringify(body);
  return {
    layer: 'fetch',
    attempt: 1,
    startedAtUnixNano: '1790000000000000000',
    request: { method: 'POST', url: 'https://provider.test/v1/chat/completions', headers: [], body: { sameAs: 'input' } },
    response: {
      status: 200,
      statusText: 'OK',
      url: '',
      headers: [['content-type', isStream ? 'text/event-stream' : 'application/json']],
      headersAfterUs: 1,
      chunks: [[1, text]],
      end: 'complete',
      endAfterUs: 1,
      hasBody: true,
    },
  };
}

/** A tool call as chat messages carry it. */
export function toolCall(id: string, name: string, called: object): object {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(called) } };
}

/** A chat completion that asks for tool calls, or says a text. */
export function chatCompletion(id: string, answer: string | readonly object[]): object {
  const message = typeof answer === 'string' ? { content: answer } : { content: null, tool_calls: answer };
  return { id, created: 1_790_000_000, model: 'gpt-5-mini', choices: [{ message: { role: 'assistant', ...message } }] };
}
