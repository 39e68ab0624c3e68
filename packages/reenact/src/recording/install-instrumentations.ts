import { findDriverClasses } from '@reenact/instrumentation';
import { AiSdkInstrumentation } from '@reenact/instrumentation-ai-sdk';
import { AnthropicInstrumentation } from '@reenact/instrumentation-anthropic';
import { GrpcInstrumentation, type ListeningRpcServer } from '@reenact/instrumentation-grpc';
import { HttpInstrumentation, type ListeningAddress } from '@reenact/instrumentation-http';
import { McpInstrumentation } from '@reenact/instrumentation-mcp';
import { OpenAIInstrumentation } from '@reenact/instrumentation-openai';
import type { JoinedReplay } from '@reenact/replay';

/** Packages that are patched when they are loaded, and in which versions: from the first up to a major version that is not. */
export const PATCHED_PACKAGES: ReadonlyMap<string, string> = new Map([
  ['@ai-sdk/mcp', '>=1.0.0 <3'],
  ['@ai-sdk/provider-utils', '>=5.0.0 <6'],
  ['@anthropic-ai/sdk', '>=1.0.0 <2'],
  ['@grpc/grpc-js', '>=1.10.0 <2'],
  ['@modelcontextprotocol/client', '>=2.0.0 <3'],
  ['@modelcontextprotocol/sdk', '>=1.20.0 <2'],
  ['@modelcontextprotocol/server', '>=2.0.0 <3'],
  ['ai', '>=7.0.0 <8'],
  ['openai', '>=5.0.0 <8'],
  ['undici', '>=6.0.0 <9'],
]);

/**
 * Patches HTTP and gRPC, and every supported library that the app loads from now on, ES modules and CommonJS. `listening`: told in a
 * replay where a server of this process listens. Returns how to undo it.
 */
export function installInstrumentations(listening: JoinedReplay['listening'] | undefined): () => void {
  // After the guard of a replay, so that what is answered from the recording never gets to it.
  const onListening = ({ port, ...told }: ListeningAddress | ListeningRpcServer): void =>
    listening?.({ ...told, ...(port === undefined ? {} : { port }) });
  const instrumentations = [
    new HttpInstrumentation({ onListening }),
    new GrpcInstrumentation({ onListening }),
    new AiSdkInstrumentation(),
    new OpenAIInstrumentation(),
    new AnthropicInstrumentation(),
    new McpInstrumentation(),
  ];
  for (const instrumentation of instrumentations) instrumentation.enable();
  findDriverClasses();
  return () => {
    for (const instrumentation of instrumentations.reverse()) instrumentation.disable();
  };
}
