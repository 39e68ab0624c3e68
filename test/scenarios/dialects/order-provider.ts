import { LLMock } from '@copilotkit/aimock';

/** A provider on loopback that speaks OpenAI's protocol and knows one order. */
export interface OrderProvider {
  /** For OPENAI_BASE_URL. */
  readonly baseUrl: string;
  stop(): Promise<void>;
}

/** What the agents print in the end. */
export const ORDER_ANSWER = 'Your order 4711 is out for delivery with Möwe Express.';

function usage(prompt_tokens: number, completion_tokens: number): Record<string, number> {
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}

/** Starts it on a free port. Anything it was not scripted for is answered with an error, never made up. */
export async function startOrderProvider(): Promise<OrderProvider> {
  const provider = new LLMock({ port: 0, chunkSize: 9, strict: true, journalMaxEntries: 0 });
  const busy = { message: 'Too many requests.', type: 'rate_limit_error', code: 'rate_limited' };
  provider.on({ userMessage: /fail/ }, { error: busy, status: 429, retryAfter: 0 });
  provider.on(
    { endpoint: 'chat', turnIndex: 0 },
    { toolCalls: [{ id: 'call_order', name: 'find_order', arguments: '{"number": "4711"}' }], usage: usage(120, 18) },
  );
  provider.on({ endpoint: 'chat', turnIndex: 1 }, { content: ORDER_ANSWER, usage: usage(160, 20) });
  provider.onEmbedding(/order/, { embedding: [0.25, -0.5, 0.125] });
  await provider.start();
  return { baseUrl: `${provider.url}/v1`, stop: () => provider.stop() };
}
