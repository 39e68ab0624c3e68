import {
  type CallSettings,
  type ClientGateCall,
  modelGateCall,
  type RequestOptions,
  type StainlessClient,
  serverOf,
  wireGateCall,
} from '@reenact/instrumentation';
import { GEN_AI_PROVIDER_NAME_VALUE_AZURE_AI_OPENAI, GEN_AI_PROVIDER_NAME_VALUE_OPENAI } from '@reenact/semconv/gen-ai';
import { CANONICAL_POLICIES } from '@reenact/trace-model';
import { endpointOf } from './endpoint.ts';
import { type ModelEndpoint, operationOf, requestAttributes, requestContent } from './request-view.ts';
import { responseView } from './response-view.ts';

function providerOf(client: StainlessClient): string {
  // Only Azure's client has a deployment name, as an own property even when it is undefined.
  return 'deploymentName' in client ? GEN_AI_PROVIDER_NAME_VALUE_AZURE_AI_OPENAI : GEN_AI_PROVIDER_NAME_VALUE_OPENAI;
}

/** Describes one call of the client to the gate. */
export function gateCallOf(client: StainlessClient, options: RequestOptions, settings: CallSettings): ClientGateCall {
  const endpoint = endpointOf(options);
  const server = serverOf(client, options);
  if (endpoint === 'other') return { gateCall: wireGateCall(server, options, settings) };
  const { body } = options;
  const identity = { endpoint: endpoint satisfies ModelEndpoint, provider: providerOf(client), server };
  return {
    gateCall: modelGateCall(body, settings, {
      kind: endpoint === 'embeddings' ? 'embedding' : 'model',
      name: `openai.${endpoint}`,
      policy: CANONICAL_POLICIES.modelRequest,
      operation: operationOf(endpoint),
      slim: () => requestAttributes(identity, body),
      content: () => requestContent(endpoint, body),
    }),
    responseView: (answer, isStreamed) => responseView(endpoint, answer, isStreamed),
  };
}
