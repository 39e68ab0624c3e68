import {
  type CallSettings,
  type ClientGateCall,
  guarded,
  membersOf,
  REQUEST_VIEW_CHARACTERS_MAX,
  type RequestOptions,
  requestBodyText,
  type SpanStart,
  type StainlessClient,
  serverOf,
  stringOf,
  wireGateCall,
} from '@reenact/instrumentation';
import { GEN_AI_OPERATION_NAME_VALUE_CHAT, GEN_AI_PROVIDER_NAME_VALUE_ANTHROPIC } from '@reenact/semconv/gen-ai';
import { CANONICAL_POLICIES } from '@reenact/trace-model';
import { isMessagesCall } from './is-messages-call.ts';
import { type CallIdentity, requestAttributes, requestContent } from './request-view.ts';
import { responseView } from './response-view.ts';

/** The clients of other platforms (Bedrock, Vertex) name the provider themselves, in the convention's words. */
function providerOf(client: StainlessClient): string {
  return stringOf(Reflect.get(client, '_genAIProviderName')) ?? GEN_AI_PROVIDER_NAME_VALUE_ANTHROPIC;
}

function spanOf(identity: CallIdentity, body: unknown, text: string | undefined): SpanStart {
  const model = stringOf(membersOf(body).model);
  const isReadable = text !== undefined && text.length <= REQUEST_VIEW_CHARACTERS_MAX;
  return {
    name: model === undefined ? GEN_AI_OPERATION_NAME_VALUE_CHAT : `${GEN_AI_OPERATION_NAME_VALUE_CHAT} ${model}`,
    kind: 'client',
    slim: guarded('describing a request', () => requestAttributes(identity, body), {}),
    content: isReadable ? guarded('describing messages', () => requestContent(body), {}) : {},
  };
}

/** Describes one call of the client to the gate. */
export function gateCallOf(client: StainlessClient, options: RequestOptions, settings: CallSettings): ClientGateCall {
  const server = serverOf(client, options);
  if (!isMessagesCall(options)) return { gateCall: wireGateCall(server, options, settings) };
  const { body } = options;
  const text = requestBodyText(body);
  const { capture, sdk } = settings;
  const gateCall = {
    boundary: {
      kind: 'model',
      // The name never changes with the platform, so that a recording made on one replays on another.
      name: 'anthropic.messages',
      effect: 'read',
      capture,
      policy: CANONICAL_POLICIES.messagesRequest,
      ...(sdk === undefined ? {} : { sdk }),
    },
    input: body,
    takesInput: true,
    ...(text === undefined ? {} : { inputText: text }),
    span: spanOf({ provider: providerOf(client), server }, body, text),
  } as const;
  return { gateCall, responseView };
}
