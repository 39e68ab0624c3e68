import { LLMock } from '@copilotkit/aimock';

/** A provider on loopback that speaks the OpenAI wire protocol and knows one order. */
export interface ShopProvider {
  /** For OPENAI_BASE_URL. */
  readonly baseUrl: string;
  requestCount(): number;
  stop(): Promise<void>;
}

/** What the support agent prints in the end. */
export const FINAL_ANSWER = 'Your order 4711 is out for delivery with Möwe Express.';

function usage(prompt_tokens: number, completion_tokens: number): Record<string, number> {
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}

/** Starts it on a free port. Anything it was not scripted for is answered with an error, never made up. */
export async function startShopProvider(): Promise<ShopProvider> {
  const provider = new LLMock({ port: 0, chunkSize: 9, strict: true, journalMaxEntries: 0 });
  provider.on(
    { endpoint: 'chat', turnIndex: 0 },
    { toolCalls: [{ id: 'call_order', name: 'find_order', arguments: '{"number": "4711"}' }], usage: usage(120, 18) },
  );
  const parcel = '{"carrier":"Möwe Express","parcel":"PX-77"}';
  provider.on(
    { endpoint: 'chat', turnIndex: 1 },
    { toolCalls: [{ id: 'call_parcel', name: 'track_parcel', arguments: parcel }], usage: usage(160, 20) },
  );
  provider.on({ endpoint: 'chat', turnIndex: 2 }, { content: FINAL_ANSWER, usage: usage(190, 15) });
  await provider.start();
  return {
    baseUrl: `${provider.url}/v1`,
    requestCount: () => provider.getRequests().length,
    stop: () => provider.stop(),
  };
}
