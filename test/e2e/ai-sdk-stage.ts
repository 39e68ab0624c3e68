import { LLMock } from '@copilotkit/aimock';
import { type Stage, setStage } from '../scenarios/stage.ts';

const agentFolder = new URL('../scenarios/ai-sdk/agent', import.meta.url).pathname;

/** A provider that speaks the protocols of OpenAI and Anthropic, scripted for the desk. */
export interface DeskProvider {
  readonly url: string;
  requestCount(): number;
  /** The model that the last request named. */
  lastModel(): unknown;
  stop(): Promise<void>;
}

/** Starts the provider on a free port. Anything it was not scripted for is answered with an error, never made up. */
export async function startDeskProvider(): Promise<DeskProvider> {
  const provider = new LLMock({ port: 0, strict: true, chunkSize: 6, journalMaxEntries: 0 });
  provider.on(
    { userMessage: /Sell/, turnIndex: 0 },
    { toolCalls: [{ id: 'call_quote', name: 'get_quote', arguments: '{"symbol":"ACME"}' }] },
  );
  provider.on(
    { userMessage: /Sell/, turnIndex: 1 },
    { toolCalls: [{ id: 'call_order', name: 'place_order', arguments: '{"symbol":"ACME","quantity":1000}' }] },
  );
  provider.on({ userMessage: /Sell/, turnIndex: 2 }, { content: 'Sold 1,000 shares of ACME.' });
  provider.on({ userMessage: /Summarise/ }, { content: 'The order of 1,000 shares was filled.' });
  provider.onEmbedding('order', { embedding: [0.25, -0.5, 0.125] });
  await provider.start();
  return {
    url: provider.url,
    requestCount: () => provider.getRequests().length,
    lastModel: () => provider.getRequests().at(-1)?.body?.model,
    stop: () => provider.stop(),
  };
}

/** A stage for apps on the AI SDK. */
export function setDeskStage(provider: DeskProvider): Promise<Stage> {
  return setStage({
    agentFolder,
    environment: () => ({ OTEL_SERVICE_NAME: 'desk', PROVIDER_URL: provider.url, AI_SDK_LOG_WARNINGS: 'false' }),
  });
}
