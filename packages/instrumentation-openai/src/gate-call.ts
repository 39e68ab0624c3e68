import {
  type CallSettings,
  type ClientGateCall,
  type GateCall,
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
import { GEN_AI_PROVIDER_NAME_VALUE_AZURE_AI_OPENAI, GEN_AI_PROVIDER_NAME_VALUE_OPENAI } from '@reenact/semconv/gen-ai';
import { CANONICAL_POLICIES } from '@reenact/trace-model';
import { endpointOf } from './endpoint.ts';
import {
  type CallIdentity,
  type ModelEndpoint,
  operationOf,
  requestAttributes,
  requestContent,
} from './request-view.ts';
import { responseView } from './response-view.ts';

function providerOf(client: StainlessClient): string {
  // Only Azure's client has a deployment name, as an own property even when it is undefined.
  return 'deploymentName' in client ? GEN_AI_PROVIDER_NAME_VALUE_AZURE_AI_OPENAI : GEN_AI_PROVIDER_NAME_VALUE_OPENAI;
}

function modelSpan(identity: CallIdentity, body: unknown, text: string | undefined): SpanStart {
  const operation = operationOf(identity.endpoint);
  const model = stringOf(membersOf(body).model);
  const isReadable = text !== undefined && text.length <= REQUEST_VIEW_CHARACTERS_MAX;
  return {
    name: model === undefined ? operation : `${operation} ${model}`,
    kind: 'client',
    slim: guarded('describing a request', () => requestAttributes(identity, body), {}),
    content: isReadable ? guarded('describing messages', () => requestContent(identity.endpoint, body), {}) : {},
  };
}

function modelCall(identity: CallIdentity, options: RequestOptions, settings: CallSettings): GateCall {
  const { body } = options;
  const text = requestBodyText(body);
  const { endpoint } = identity;
  const { capture, sdk } = settings;
  return {
    boundary: {
      kind: endpoint === 'embeddings' ? 'embedding' : 'model',
      // The name never changes with the host, so that a recording made through a proxy replays without it.
      name: `openai.${endpoint}`,
      effect: 'read',
      capture,
      policy: CANONICAL_POLICIES.modelRequest,
      ...(sdk === undefined ? {} : { sdk }),
    },
    input: body,
    takesInput: true,
    ...(text === undefined ? {} : { inputText: text }),
    span: modelSpan(identity, body, text),
  };
}

/** Describes one call of the client to the gate. */
export function gateCallOf(client: StainlessClient, options: RequestOptions, settings: CallSettings): ClientGateCall {
  const endpoint = endpointOf(options);
  const server = serverOf(client, options);
  if (endpoint === 'other') return { gateCall: wireGateCall(server, options, settings) };
  const identity = { endpoint: endpoint satisfies ModelEndpoint, provider: providerOf(client), server };
  return {
    gateCall: modelCall(identity, options, settings),
    responseView: (body, isStreamed) => responseView(endpoint, body, isStreamed),
  };
}
