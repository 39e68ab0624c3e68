import { AiSdkInstrumentation } from '@reenact/instrumentation-ai-sdk';
import { AnthropicInstrumentation } from '@reenact/instrumentation-anthropic';
import { GrpcInstrumentation, type ListeningRpcServer } from '@reenact/instrumentation-grpc';
import { HttpInstrumentation, type ListeningAddress } from '@reenact/instrumentation-http';
import { McpInstrumentation } from '@reenact/instrumentation-mcp';
import { OpenAIInstrumentation } from '@reenact/instrumentation-openai';
import type { JoinedReplay } from '@reenact/replay';

/** Packages that are patched when they are loaded. */
export const PATCHED_PACKAGES: readonly string[] = [
  '@anthropic-ai/sdk',
  '@grpc/grpc-js',
  '@modelcontextprotocol/client',
  '@modelcontextprotocol/sdk',
  '@modelcontextprotocol/server',
  'ai',
  'openai',
  'undici',
];

/**
 * Patches HTTP and gRPC, and every supported library that the app loads from now on, ES modules and CommonJS. `listening`: told in a
 * replay where a server of this process listens.
 */
export function installInstrumentations(listening: JoinedReplay['listening'] | undefined): void {
  // After the guard of a replay, so that what is answered from the recording never gets to it.
  const onListening = ({ port, ...told }: ListeningAddress | ListeningRpcServer): void =>
    listening?.({ ...told, ...(port === undefined ? {} : { port }) });
  new HttpInstrumentation({ onListening }).enable();
  new GrpcInstrumentation({ onListening }).enable();
  new AiSdkInstrumentation().enable();
  new OpenAIInstrumentation().enable();
  new AnthropicInstrumentation().enable();
  new McpInstrumentation().enable();
}
