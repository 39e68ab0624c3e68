import {
  type CallSettings,
  type ClientGateCall,
  modelGateCall,
  type RequestOptions,
  type StainlessClient,
  serverOf,
  stringOf,
  wireGateCall,
} from '@reenact/instrumentation';
import { GEN_AI_OPERATION_NAME_VALUE_CHAT, GEN_AI_PROVIDER_NAME_VALUE_ANTHROPIC } from '@reenact/semconv/gen-ai';
import { CANONICAL_POLICIES } from '@reenact/trace-model';
import { isMessagesCall } from './is-messages-call.ts';
import { requestAttributes, requestContent } from './request-view.ts';
import { responseView } from './response-view.ts';

/** The clients of other platforms (Bedrock, Vertex) name the provider themselves, in the convention's words. */
function providerOf(client: StainlessClient): string {
  return stringOf(Reflect.get(client, '_genAIProviderName')) ?? GEN_AI_PROVIDER_NAME_VALUE_ANTHROPIC;
}

/** Describes one call of the client to the gate. */
export function gateCallOf(client: StainlessClient, options: RequestOptions, settings: CallSettings): ClientGateCall {
  const server = serverOf(client, options);
  if (!isMessagesCall(options)) return { gateCall: wireGateCall(server, options, settings) };
  const { body } = options;
  const identity = { provider: providerOf(client), server };
  const gateCall = modelGateCall(body, settings, {
    kind: 'model',
    name: 'anthropic.messages',
    policy: CANONICAL_POLICIES.messagesRequest,
    operation: GEN_AI_OPERATION_NAME_VALUE_CHAT,
    slim: () => requestAttributes(identity, body),
    content: () => requestContent(body),
  });
  return { gateCall, responseView };
}
