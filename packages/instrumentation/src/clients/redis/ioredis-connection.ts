import type { EventEmitter } from 'node:events';
import type { ConnectionStage, ConnectionState } from '../object/connection-state.ts';
import { isTellingOfConnection, tellNeverReady } from './hold-connection.ts';

/** What a client says of itself while it tells its listeners of a connection that a replay has not, and where it stands then. */
const said = new WeakMap<object, { readonly stage: ConnectionStage; readonly status: string }>();

/** It connects by itself, unless it was told to wait; `real`: what a client says that is kept from it. */
function statusOf(stage: ConnectionStage, real: unknown, client: object | undefined): string {
  const saying = client && said.get(client);
  if (saying?.stage === stage) return saying.status;
  if (client && isTellingOfConnection(client)) return 'connect';
  if (stage === 'closed') return 'end';
  if (real === 'wait' && stage !== 'ready') return stage === 'new' ? 'wait' : 'connecting';
  const isConnecting = real === undefined || real === 'connecting' || real === 'disconnecting';
  return isConnecting && stage !== 'ready' ? 'connecting' : 'ready';
}

/** Told a moment after the status has changed: of two changes at once listeners see the second. */
function tellAs(
  client: object,
  stage: ConnectionStage,
  status: string,
  events: readonly (readonly [string, ...unknown[]])[],
): void {
  said.set(client, { stage, status });
  for (const [event, ...parameters] of events) (client as EventEmitter).emit(event, ...parameters);
}

function tellLost(client: object, stage: ConnectionStage, delayMs: number | undefined): void {
  if (delayMs === undefined) tellAs(client, stage, 'end', [['close'], ['end']]);
  else tellAs(client, stage, 'reconnecting', [['close'], ['reconnecting', delayMs]]);
}

function tellConnecting(client: object, stage: ConnectionStage): void {
  for (const event of ['connecting', 'connect']) tellAs(client, stage, event, [[event]]);
}

function tellReady(client: object): void {
  said.delete(client);
  (client as EventEmitter).emit('ready');
}

function tellEnd(client: EventEmitter, events: readonly string[]): void {
  const tell = (): void => {
    // Not of one that has connected after all.
    if (Reflect.get(client, 'status') === 'ready') return;
    for (const event of events) client.emit(event);
  };
  // One that is still being kept from connecting tells that it is ready once it is.
  if (Reflect.get(client, 'status') === 'connecting') client.once('ready', tell);
  else tell();
}

/** What waits to be connected, and is told to stop, tells that itself, as what is connected does. */
function endOf(client: object, method: string, stage: ConnectionStage): (() => void) | undefined {
  said.delete(client);
  const status: unknown = Reflect.get(client, 'status');
  if (status === 'ready' || (status === 'wait' && method === 'disconnect')) return undefined;
  // Told to end before it was connected, it has nothing to close.
  const isOpen = stage !== 'new' || status === 'end';
  return () => tellEnd(client as EventEmitter, isOpen ? ['close', 'end'] : ['end']);
}

/** How long the client waits before it connects again, by what the application has told it; undefined where it then ends. */
function retryDelayMsOf(client: object): number | undefined {
  const options = Reflect.get(client, 'options') as Readonly<Record<string, unknown>>;
  const strategy = options.clusterRetryStrategy ?? options.retryStrategy;
  const delayMs: unknown = typeof strategy === 'function' ? Reflect.apply(strategy, options, [1]) : undefined;
  return typeof delayMs === 'number' ? delayMs : undefined;
}

/** `disconnect(true)`. */
function reopening(
  client: object,
  method: string,
  [isReconnecting]: readonly unknown[],
): readonly (() => void)[] | 'itself' | undefined {
  if (method !== 'disconnect' || !isReconnecting) return undefined;
  const isConnecting = (): boolean => Reflect.get(client, 'status') === 'connecting';
  if (!isConnecting() && !['wait', 'end'].includes(String(Reflect.get(client, 'status')))) return 'itself';
  const delayMs = retryDelayMsOf(client);
  if (delayMs === undefined) return undefined;
  let isTold = false;
  const lose = (): void => {
    // One that is still being kept from connecting tells that it is ready once it is.
    isTold = isConnecting();
    tellLost(client, 'ready', delayMs);
  };
  const regain = (): void => {
    if (isTold) {
      said.delete(client);
      return;
    }
    tellConnecting(client, 'ready');
    tellReady(client);
  };
  return [lose, regain];
}

/** Told to wait, it connects when it is told to, or with the first command. */
function openingOf(
  client: object,
  method: string,
  stage: ConnectionStage,
): readonly [opening: () => void, opened: () => void] | undefined {
  const isLazy = stage === 'new' && Reflect.get(client, 'status') === 'wait';
  if (method !== 'connect' && !isLazy) return undefined;
  return [() => tellConnecting(client, 'opening'), () => tellReady(client)];
}

const closedMessage = 'Connection is closed.';
/** What a command is answered with that was given up while the client goes on trying to connect. */
const givenUp = 'MaxRetriesPerRequestError';

/** How long a client waits before it tries again that could not connect, by what became of a call. */
function nextTryMsOf(client: object, method: string, { name }: Error): number | undefined {
  return method === 'connect' || name === givenUp ? retryDelayMsOf(client) : undefined;
}

/** A command that is not answered because the client has ended or found no connection, or a first attempt to connect, after which it may try again. */
function lostBy(client: object, method: string, error: unknown): (() => void) | undefined {
  if (!(error instanceof Error) || (error.message !== closedMessage && error.name !== givenUp)) return undefined;
  const delayMs = nextTryMsOf(client, method, error);
  const tell = (): void => tellLost(client, 'closed', delayMs);
  if (delayMs === undefined) return () => tellNeverReady(client, tell);
  if (method === 'connect') return tell;
  return () => {
    said.set(client, { stage: 'closed', status: 'reconnecting' });
    tellNeverReady(client, tell);
  };
}

/** How a client of ioredis says in a replay what the calls that were answered mean. */
export const ioredisConnection: ConnectionState = {
  members: { status: statusOf },
  connect: 'connect',
  needsConnection: () => true,
  closes: ['quit', 'disconnect'],
  endOf,
  reopening,
  openingOf,
  lostBy,
};
