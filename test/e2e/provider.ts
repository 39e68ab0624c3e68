import { LLMock } from '@copilotkit/aimock';

/** A provider for agents whose answers do not matter: says back what it was asked. */
export interface EchoProvider {
  /** Environment that points an agent's SDK at it. */
  readonly environment: NodeJS.ProcessEnv;
  requestCount(): number;
  stop(): Promise<void>;
}

/** Starts it on a free port. */
export async function startEchoProvider(): Promise<EchoProvider> {
  const provider = new LLMock({ port: 0, strict: true, journalMaxEntries: 0 });
  provider.on({ endpoint: 'chat', userMessage: /.*/ }, { content: 'The provider answers.' });
  await provider.start();
  return {
    environment: { OPENAI_BASE_URL: `${provider.url}/v1`, OPENAI_API_KEY: 'local' },
    requestCount: () => provider.getRequests().length,
    stop: () => provider.stop(),
  };
}
