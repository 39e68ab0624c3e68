import { context as contexts } from '@opentelemetry/api';
import { definedAttributes, type GateCall, membersOf, stringOf, toolCallIdOf } from '@reenact/instrumentation';
import {
  ATTR_JSONRPC_REQUEST_ID,
  ATTR_NETWORK_TRANSPORT,
  ATTR_SERVER_ADDRESS,
  ATTR_SERVER_PORT,
} from '@reenact/semconv/core';
import {
  ATTR_GEN_AI_OPERATION_NAME,
  ATTR_GEN_AI_PROMPT_NAME,
  ATTR_GEN_AI_TOOL_CALL_ARGUMENTS,
  ATTR_GEN_AI_TOOL_NAME,
  ATTR_MCP_METHOD_NAME,
  ATTR_MCP_PROTOCOL_VERSION,
  ATTR_MCP_RESOURCE_URI,
  ATTR_MCP_SESSION_ID,
  GEN_AI_OPERATION_NAME_VALUE_EXECUTE_TOOL,
  MCP_METHOD_NAME_VALUE_INITIALIZE,
  MCP_METHOD_NAME_VALUE_TOOLS_CALL,
} from '@reenact/semconv/gen-ai';
import { CANONICAL_POLICIES, type CaptureLevel, type Effect } from '@reenact/trace-model';
import type { Connection } from './connection.ts';
import type { McpClient, McpMessage, NamedClient } from './internal-types.ts';
import { serverPlace } from './transport-facts.ts';

/** What is the same for all calls of one patched class. */
export interface CallSettings {
  readonly capture: CaptureLevel;
  /** `<package>@<version>`; undefined where the version could not be told. */
  readonly sdk: string | undefined;
}

const reads: ReadonlySet<string> = new Set([
  'ping',
  'initialize',
  'server/discover',
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
  'prompts/get',
  'completion/complete',
  'tasks/get',
  'tasks/list',
  'tasks/result',
]);

function toolOf({ method, params }: McpMessage): string | undefined {
  return method === MCP_METHOD_NAME_VALUE_TOOLS_CALL ? stringOf(params?.name) : undefined;
}

function effectOf(message: McpMessage, connection: Connection): Effect {
  const tool = toolOf(message);
  if (tool !== undefined) return connection.effectOfTool(tool);
  return reads.has(message.method) ? 'read' : 'write';
}

/** Members of `_meta` that belong to one sending of a message. */
const ofOneSending: ReadonlySet<string> = new Set(['progressToken', 'traceparent', 'tracestate', 'baggage']);

/** What the message asks for. What its caller says in `_meta` stands beside the parameters, where recordings of before have nothing. */
function inputOf({ method, params }: McpMessage): object {
  if (params === undefined) return { method };
  const { _meta, ...kept } = params;
  const said = Object.entries(membersOf(_meta)).filter(([key]) => !ofOneSending.has(key));
  return { method, params: kept, ...(said.length === 0 ? {} : { _meta: Object.fromEntries(said) }) };
}

function boundaryOf(name: string, effect: Effect, { capture, sdk }: CallSettings): GateCall['boundary'] {
  const boundary = { kind: 'mcp', name, effect, capture, policy: CANONICAL_POLICIES.mcpMessage } as const;
  return sdk === undefined ? boundary : { ...boundary, sdk };
}

function connectionAttributes(client: NamedClient, connection: Connection): GateCall['span']['slim'] {
  const server = serverPlace(connection.facts);
  return definedAttributes({
    [ATTR_MCP_SESSION_ID]: connection.sessionId,
    [ATTR_MCP_PROTOCOL_VERSION]: connection.protocolVersion ?? stringOf(client.getNegotiatedProtocolVersion?.()),
    [ATTR_NETWORK_TRANSPORT]: connection.facts.type === 'stdio' ? 'pipe' : server === undefined ? undefined : 'tcp',
    [ATTR_SERVER_ADDRESS]: server?.host,
    [ATTR_SERVER_PORT]: server?.port,
  });
}

function targetOf({ method, params }: McpMessage): string | undefined {
  const isNamed = method === MCP_METHOD_NAME_VALUE_TOOLS_CALL || method === 'prompts/get';
  return isNamed ? stringOf(params?.name) : undefined;
}

function requestId({ _requestMessageId }: NamedClient, isRequest: boolean): string | undefined {
  return isRequest && typeof _requestMessageId === 'number' ? String(_requestMessageId) : undefined;
}

/** Describes one request or notification of a client to the gate. */
export function messageCall(
  client: NamedClient,
  connection: Connection,
  message: McpMessage,
  settings: CallSettings,
  isRequest: boolean,
): GateCall {
  const { method, params } = message;
  const tool = toolOf(message);
  const target = targetOf(message);
  const id = tool === undefined ? undefined : toolCallIdOf(contexts.active());
  return {
    boundary: boundaryOf(`${connection.serverName(client)}/${tool ?? method}`, effectOf(message, connection), settings),
    input: inputOf(message),
    call: 'promise',
    ...(id === undefined ? {} : { toolCallId: id }),
    span: {
      name: target === undefined ? method : `${method} ${target}`,
      kind: 'client',
      slim: definedAttributes({
        [ATTR_MCP_METHOD_NAME]: method,
        [ATTR_GEN_AI_OPERATION_NAME]: tool === undefined ? undefined : GEN_AI_OPERATION_NAME_VALUE_EXECUTE_TOOL,
        [ATTR_GEN_AI_TOOL_NAME]: tool,
        [ATTR_GEN_AI_PROMPT_NAME]: method === 'prompts/get' ? target : undefined,
        [ATTR_MCP_RESOURCE_URI]: stringOf(params?.uri),
        [ATTR_JSONRPC_REQUEST_ID]: requestId(client, isRequest),
        ...connectionAttributes(client, connection),
      }),
      content: definedAttributes({
        [ATTR_GEN_AI_TOOL_CALL_ARGUMENTS]: tool === undefined ? undefined : JSON.stringify(params?.arguments ?? {}),
      }),
    },
  };
}

/** How the server says something: as a message of its own, or as a question inside a result, which has a key there. */
export type DeliveryKind = 'notification' | 'request' | 'question';

/**
 * Describes a message of the server to the gate: what it says while a request is under way reaches handlers of the host, and what they do
 * about it is theirs.
 */
export function deliveryCall(
  client: McpClient,
  connection: Connection,
  message: McpMessage,
  settings: CallSettings,
  kind: DeliveryKind,
): GateCall {
  const { method } = message;
  const boundary = boundaryOf(`${connection.serverName(client)}/${method}`, 'read', settings);
  const { id } = membersOf(message);
  return {
    boundary: { ...boundary, policy: CANONICAL_POLICIES.delivery },
    input: kind === 'question' ? { ...inputOf(message), key: id } : inputOf(message),
    call: kind === 'notification' ? 'sync' : 'promise',
    span: {
      name: method,
      kind: 'server',
      slim: { [ATTR_MCP_METHOD_NAME]: method, ...connectionAttributes(client, connection) },
    },
  };
}

/** A message as a delivery holds it; `key` where it is a question. */
export interface DeliveredMessage extends McpMessage {
  readonly key: string | undefined;
}

/** The message that an input of a delivery stands for. */
export function deliveredMessage(input: unknown): DeliveredMessage {
  const { method, params, _meta, key } = membersOf(input);
  const given = { ...membersOf(params), ...(_meta === undefined ? {} : { _meta }) };
  return { method: stringOf(method) ?? '', ...(params === undefined ? {} : { params: given }), key: stringOf(key) };
}

/** Describes connecting to the gate. The server has not told its name yet, so the crossing is named after the transport. */
export function connectCall(client: McpClient, connection: Connection, settings: CallSettings): GateCall {
  const { facts } = connection;
  const params = { capabilities: client._capabilities, clientInfo: client._clientInfo };
  return {
    boundary: boundaryOf(`${facts.type}/${MCP_METHOD_NAME_VALUE_INITIALIZE}`, 'read', settings),
    input: { method: MCP_METHOD_NAME_VALUE_INITIALIZE, params, transport: facts },
    call: 'promise',
    span: {
      name: MCP_METHOD_NAME_VALUE_INITIALIZE,
      kind: 'client',
      slim: { [ATTR_MCP_METHOD_NAME]: MCP_METHOD_NAME_VALUE_INITIALIZE, ...connectionAttributes(client, connection) },
    },
  };
}

/** Describes to the gate that a client which nobody patches starts a transport; its handshake is a message of its own then. */
export function startCall(connection: Connection, settings: CallSettings): GateCall {
  const { facts } = connection;
  return {
    boundary: boundaryOf(`${facts.type}/start`, 'read', settings),
    input: { method: 'start', transport: facts },
    call: 'promise',
    span: { name: 'start', kind: 'client', slim: { ...connectionAttributes({}, connection) } },
  };
}
