import { membersOf, serveProcess } from '@reenact/instrumentation';
import { ReenactError } from '@reenact/trace-model';
import type { Connection } from './connection.ts';
import type { McpTransport } from './internal-types.ts';

const done = async (): Promise<void> => undefined;

const unheard = (): void => undefined;

/** The error of a request that is to run live over a transport that leads nowhere. `connect`: the selector of its connection. */
export function refusedOverNothing(method: string, connect: string): ReenactError {
  return new ReenactError('replay-refused', `${method} was asked to run live over a connection that was not made.`, {
    where: connect,
    next: `Make the connection live, too: --live ${connect}`,
  });
}

function overlay(transport: McpTransport, key: string, value: unknown): void {
  Object.defineProperty(transport, key, { value, configurable: true, writable: true, enumerable: false });
}

/**
 * Makes a transport one that leads nowhere, by own members laid over its class's: it starts no process, opens no socket, and
 * takes what the client says without sending it. A request that is to run live over it is refused. `connect` is the selector
 * of the connection.
 */
export function serveTransport(transport: McpTransport, connection: Connection, connect: string): void {
  let hasClosed = false;
  overlay(transport, 'start', done);
  overlay(transport, 'terminateSession', done);
  // A server in this process may say again what is repeated from the recording.
  Object.defineProperty(transport, 'onmessage', {
    get: () => unheard,
    set: () => undefined,
    configurable: true,
    enumerable: false,
  });
  connection.seesAnswers = true;
  overlay(transport, 'send', async (message: unknown) => {
    connection.sent(message);
    const { method, id } = membersOf(message);
    if (typeof method === 'string' && id !== undefined) throw refusedOverNothing(method, connect);
  });
  overlay(transport, 'close', async () => {
    if (hasClosed) return;
    hasClosed = true;
    transport.onclose?.();
  });
}

/** The number of the process that a transport had started when it was recorded, until it is closed: what is sent to it reaches nobody. */
export function serveProcessId(transport: McpTransport, processId: unknown): void {
  if (typeof processId !== 'number') return;
  const end = serveProcess(processId);
  overlay(transport, 'pid', processId);
  const close = transport.close.bind(transport);
  overlay(transport, 'close', () => {
    end();
    overlay(transport, 'pid', null);
    return close();
  });
}

/** The session id a server gave when it was recorded. */
export function serveSessionId(transport: McpTransport, sessionId: string | undefined): void {
  if (sessionId !== undefined) overlay(transport, 'sessionId', sessionId);
}
