import { definedAttributes, type GateCall, guarded, type SpanStart } from '@reenact/instrumentation';
import { ATTR_HTTP_REQUEST_METHOD, ATTR_SERVER_ADDRESS, ATTR_SERVER_PORT, ATTR_URL_FULL } from '@reenact/semconv/core';
import { GEN_AI_PROVIDER_NAME_VALUE_AZURE_AI_OPENAI, GEN_AI_PROVIDER_NAME_VALUE_OPENAI } from '@reenact/semconv/gen-ai';
import { CANONICAL_POLICIES, type CaptureLevel } from '@reenact/trace-model';
import { type Endpoint, endpointOf } from './endpoint.ts';
import type { OpenAIClient, RequestOptions } from './internal-types.ts';
import { REQUEST_VIEW_CHARACTERS_MAX } from './limits.ts';
import { membersOf, stringOf } from './members.ts';
import {
  type CallIdentity,
  type ModelEndpoint,
  operationOf,
  requestAttributes,
  requestContent,
} from './request-view.ts';
import { type ServerAddress, serverOf } from './server-address.ts';

/** What one call of the client is to the gate, and which API it speaks. */
export interface ClientGateCall {
  readonly endpoint: Endpoint;
  readonly gateCall: GateCall;
}

/** What is the same for all calls of one patched client class. */
export interface CallSettings {
  readonly capture: CaptureLevel;
  /** `openai@<version>`; undefined where the version could not be told. */
  readonly sdk: string | undefined;
}

function providerOf(client: OpenAIClient): string {
  // Only Azure's client has a deployment name, as an own property even when it is undefined.
  return 'deploymentName' in client ? GEN_AI_PROVIDER_NAME_VALUE_AZURE_AI_OPENAI : GEN_AI_PROVIDER_NAME_VALUE_OPENAI;
}

/** The request body as the client will send it; undefined where it is no JSON or cannot be serialised. */
function bodyText(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  try {
    return JSON.stringify(body);
  } catch {
    // The client meets the same error in a moment and throws it where the user expects it.
    return undefined;
  }
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
  const text = bodyText(body);
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

function urlWithoutQuery(server: ServerAddress | undefined): string | undefined {
  return server === undefined ? undefined : `${server.url.origin}${server.url.pathname}`;
}

function httpCall(server: ServerAddress | undefined, options: RequestOptions, settings: CallSettings): GateCall {
  const { path, query, body } = options;
  const method = options.method.toUpperCase();
  const name = `${method} ${server?.url.host ?? 'unknown'}`;
  const { capture, sdk } = settings;
  return {
    boundary: {
      kind: 'http',
      name,
      effect: method === 'GET' || method === 'HEAD' ? 'read' : 'write',
      capture,
      policy: CANONICAL_POLICIES.arguments,
      ...(sdk === undefined ? {} : { sdk }),
    },
    input: {
      method,
      path,
      ...(query === undefined || query === null ? {} : { query }),
      ...(body === undefined || body === null ? {} : { body }),
    },
    span: {
      name,
      kind: 'client',
      slim: definedAttributes({
        [ATTR_HTTP_REQUEST_METHOD]: method,
        [ATTR_URL_FULL]: urlWithoutQuery(server),
        [ATTR_SERVER_ADDRESS]: server?.address,
        [ATTR_SERVER_PORT]: server?.port,
      }),
    },
  };
}

/** Describes one call of the client to the gate. */
export function gateCallOf(client: OpenAIClient, options: RequestOptions, settings: CallSettings): ClientGateCall {
  const endpoint = endpointOf(options);
  const server = serverOf(client, options);
  if (endpoint === 'other') return { endpoint, gateCall: httpCall(server, options, settings) };
  const identity = { endpoint: endpoint satisfies ModelEndpoint, provider: providerOf(client), server };
  return { endpoint, gateCall: modelCall(identity, options, settings) };
}
