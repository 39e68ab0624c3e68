import { wireMode } from '../current-gate.ts';
import { guarded } from '../report-failure.ts';

/** What is used of a client that connects by itself; its status is `connecting` from when it is made. */
interface EagerClient {
  readonly status?: unknown;
  connect(): Promise<unknown>;
  disconnect(): void;
  sendCommand(...parameters: unknown[]): unknown;
}

function isEager(client: object): client is EagerClient {
  const members: readonly (keyof EagerClient)[] = ['connect', 'disconnect', 'sendCommand'];
  return members.every((name) => typeof Reflect.get(client, name) === 'function');
}

/**
 * In a replay, stops a client of ioredis that was made before it was wrapped from connecting, which it does a moment after it is
 * made: what it is asked is answered from the recording. It connects where a call of it runs live. Does nothing outside a replay,
 * to a class, and to a client that waits to be connected. Never throws.
 */
export function holdConnection(client: object): void {
  guarded('holding a connection back', () => hold(client), undefined);
}

function hold(client: object): void {
  if (typeof client === 'function' || wireMode() !== 'replay') return;
  if (!isEager(client) || client.status !== 'connecting') return;
  const { sendCommand } = client;
  client.disconnect();
  // Only calls that run live come to the client itself.
  client.sendCommand = (...parameters) => {
    Reflect.deleteProperty(client, 'sendCommand');
    // The command waits for the connection, and is told where there is none.
    client.connect().catch(() => undefined);
    return Reflect.apply(sendCommand, client, parameters);
  };
}
