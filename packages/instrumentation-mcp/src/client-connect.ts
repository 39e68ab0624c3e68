import { context as contexts } from '@opentelemetry/api';
import {
  admitDescribed,
  guarded,
  membersOf,
  type OpenCrossing,
  runInContext,
  type StubAdmission,
  serveStub,
  stringOf,
  withOwnedWire,
} from '@reenact/instrumentation';
import { beginConnection, type Connection } from './connection.ts';
import { connectCall } from './gate-call.ts';
import type { McpClient, McpConnect, McpTransport } from './internal-types.ts';
import { ownWire } from './own-wire.ts';
import type { PatchScope } from './patch-scope.ts';
import { playBehind } from './play-deliveries.ts';
import { serveProcessId, serveSessionId, serveTransport } from './served-transport.ts';
import { registerTransportErrors } from './transport-errors.ts';

const drivenByClients = new WeakSet<object>();

/** Whether a transport was given to a client of the SDK, whose calls are the crossings. */
export function isDrivenByClient(transport: McpTransport): boolean {
  return drivenByClients.has(transport);
}

function begun(client: McpClient, transport: McpTransport): Connection {
  drivenByClients.add(transport);
  return beginConnection(client, transport);
}

type ConnectParameters = Parameters<McpConnect>;

/** What is recorded of a connection. Absent members are those the protocol version does not have. */
interface RecordedHandshake {
  readonly initialized?: unknown;
  readonly discovered?: unknown;
  readonly sessionId?: string;
  /** Of the process that a transport over stdio has started. */
  readonly processId?: number;
}

function recordedHandshake(
  client: McpClient,
  { handshake, sessionId }: Connection,
  transport: McpTransport,
): RecordedHandshake {
  const discovered = client.getDiscoverResult?.();
  const processId: unknown = Reflect.get(transport, 'pid');
  return {
    ...(handshake?.result === undefined ? {} : { initialized: handshake.result }),
    ...(discovered === undefined ? {} : { discovered }),
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(typeof processId === 'number' ? { processId } : {}),
  };
}

/** Makes the connection for real. */
async function runConnect(
  client: McpClient,
  connection: Connection,
  crossing: OpenCrossing,
  transport: McpTransport,
  make: () => Promise<void>,
): Promise<void> {
  connection.handshake = {};
  const known = registerTransportErrors(transport);
  guarded('owning the wire of a transport', () => ownWire(transport, connection), undefined);
  try {
    await runInContext(withOwnedWire(crossing.context), make).finally(() => known);
    guarded('reading a handshake', () => connection.learnServer(connection.handshake?.result), undefined);
    const value = guarded('reading a handshake', () => recordedHandshake(client, connection, transport), {});
    crossing.settle({ type: 'returned', value });
  } catch (error) {
    crossing.settle({ type: 'threw', error });
    throw error;
  } finally {
    connection.handshake = undefined;
  }
}

/** The SDK that negotiates the protocol version is told what was negotiated, so that it asks nobody. */
function optionsOf(client: McpClient, options: object | undefined, discovered: unknown): object | undefined {
  if (client.getDiscoverResult === undefined) return options;
  const prior = discovered === undefined ? { kind: 'legacy' } : { kind: 'modern', discover: discovered };
  return { ...options, prior };
}

/** Makes the client a connected one without a server: its own `connect` runs over a transport that leads nowhere. */
async function serveConnect(
  client: McpClient,
  connection: Connection,
  admission: StubAdmission,
  [transport, options]: ConnectParameters,
  original: McpConnect,
): Promise<void> {
  const around = connection.noteAsked(admission.crossing, contexts.active());
  await registerTransportErrors(transport);
  const { initialized, discovered, sessionId, processId } = membersOf(await serveStub(admission));
  serveTransport(transport, connection, `${admission.recorded.kind}:${admission.recorded.name}`);
  connection.handshake = { served: { result: initialized, sessionId: stringOf(sessionId) }, result: initialized };
  connection.learnServer(initialized);
  try {
    await original.call(client, transport, optionsOf(client, options, discovered));
    serveSessionId(transport, stringOf(sessionId));
    serveProcessId(transport, processId);
  } finally {
    connection.handshake = undefined;
  }
  // Also what it said before this had ended: nothing that is served waits for it.
  playBehind(admission, { client, connection, around }, () => true);
}

/** `connect` through the gate. */
export async function connect(
  client: McpClient,
  parameters: ConnectParameters,
  original: McpConnect,
  scope: PatchScope,
): Promise<void> {
  const make = (): Promise<void> => original.apply(client, parameters);
  const connection = guarded('beginning a connection', () => begun(client, parameters[0]), undefined);
  if (connection === undefined) return make();
  connection.context = contexts.active();
  const admission = admitDescribed('a message of MCP', () => scope.admit(connectCall(client, connection, scope)));
  switch (admission.type) {
    case 'pass':
      return make();
    case 'run':
      connection.noteAsked(admission.crossing, connection.context);
      return runConnect(client, connection, admission.crossing, parameters[0], make);
    case 'stub':
      return serveConnect(client, connection, admission, parameters, original);
    case 'refuse':
      throw admission.error;
  }
}
