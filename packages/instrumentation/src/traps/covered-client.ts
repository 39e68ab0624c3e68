import type { Exchange } from '@reenact/trace-model';

/**
 * How the clients that instrumentations cover call themselves: openai, @anthropic-ai/sdk with their variants, and the providers of the AI SDK.
 * Bundlers rename their classes (`_OpenAI`, `OpenAI2`).
 */
const covered = /^[\w$]*(?:OpenAI|Anthropic)[\w$]*\/JS |(?:^| )ai-sdk\//;

/** Whether a request was sent by a client that an instrumentation covers, as its `user-agent` says. */
export function isByCoveredClient({ request }: Exchange): boolean {
  return request.headers.some(([name, value]) => name.toLowerCase() === 'user-agent' && covered.test(value));
}
