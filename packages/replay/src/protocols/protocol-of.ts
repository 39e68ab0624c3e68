import type { Exchange } from '@reenact/trace-model';
import { anthropicMessages } from './anthropic/anthropic-messages.ts';
import type { ModelProtocol } from './model-protocol.ts';
import { openAiChat, openAiResponses } from './openai/openai-protocols.ts';

const protocols: readonly ModelProtocol[] = [openAiChat, openAiResponses, anthropicMessages];

/** The protocol an exchange was made in, told by its request; undefined for anything that is no call of a known model API. */
export function protocolOf(exchange: Exchange | undefined): ModelProtocol | undefined {
  return exchange === undefined ? undefined : protocols.find((protocol) => protocol.speaks(exchange.request));
}
