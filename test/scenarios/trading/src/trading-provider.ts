import { LLMock } from '@copilotkit/aimock';

/** A provider on loopback that speaks the OpenAI wire protocol, scripted to make the mistake of the incident. */
export interface TradingProvider {
  /** For OPENAI_BASE_URL. */
  readonly baseUrl: string;
  /** Requests in the provider's own log. */
  requestCount(): number;
  stop(): Promise<void>;
}

const FINAL_ANSWER =
  'Done. I sold 1,000 shares of ACME at $190.00 for account A-4711, as you asked. Your order is filled.';

function usage(prompt_tokens: number, completion_tokens: number): Record<string, number> {
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}

/** Starts the provider on a free port. Anything it was not scripted for is answered with an error, never made up. */
export async function startTradingProvider(): Promise<TradingProvider> {
  const provider = new LLMock({ port: 0, chunkSize: 9, latency: 8, journalMaxEntries: 0 });
  provider.on(
    { userMessage: /Assess the risk/ },
    {
      content: 'Low risk: the customer sells a small amount of a liquid share.',
      usage: { input_tokens: 148, output_tokens: 14, total_tokens: 162 },
    },
  );
  provider.on(
    { endpoint: 'chat', turnIndex: 0 },
    {
      toolCalls: [
        { id: 'call_position', name: 'get_position', arguments: '{"symbol":"ACME"}' },
        { id: 'call_quote', name: 'get_quote', arguments: '{"symbol":"ACME"}' },
      ],
      usage: usage(312, 41),
    },
  );
  provider.on(
    { endpoint: 'chat', turnIndex: 1 },
    {
      toolCalls: [
        { id: 'call_order', name: 'place_order', arguments: '{"symbol":"ACME","side":"sell","quantity":1000}' },
      ],
      usage: usage(401, 27),
    },
  );
  provider.on({ endpoint: 'chat', turnIndex: 2 }, { content: FINAL_ANSWER, usage: usage(455, 33) });
  await provider.start();
  return {
    baseUrl: `${provider.url}/v1`,
    requestCount: () => provider.getRequests().length,
    stop: () => provider.stop(),
  };
}
