import { context as contexts } from '@opentelemetry/api';
import { wireMode } from '../../admission/current-gate.ts';
import { guarded } from '../../host/report-failure.ts';
import { runInContext } from '../../host/run-in-context.ts';
import type { MakeHeld } from '../object/client-definition.ts';
import { holdSentinel } from './hold-sentinel.ts';

/** What is used of a client that connects by itself; its status is `connecting` from when it is made. */
interface EagerClient {
  status?: unknown;
  connect(): Promise<unknown>;
  disconnect(): void;
  sendCommand(...parameters: unknown[]): unknown;
  emit(event: string, ...parameters: unknown[]): boolean;
}

function isEager(client: object): client is EagerClient {
  const members: readonly (keyof EagerClient)[] = ['connect', 'disconnect', 'sendCommand', 'emit'];
  return members.every((name) => typeof Reflect.get(client, name) === 'function');
}

/**
 * In a replay, stops a client of ioredis that was made before it was wrapped from connecting, which it does a moment after it is
 * made: what it is asked is answered from the recording. It connects where a call of it runs live. Does nothing outside a replay,
 * to a class, and to a client that waits to be connected. Never throws.
 *
 * Its listeners hear that it is connected and ready, as they did when this was recorded: they may wait for it.
 */
export function holdConnection(client: object): void {
  guarded('holding a connection back', () => hold(client), undefined);
}

/** Clients of which it was seen that they never came to a connection, and what tells that once their own end has been met. */
const lost = new WeakMap<object, () => void>();

/** Tells of a client that it has no connection: in the place of that it has one, where this is still to be told. */
export function tellNeverReady(client: object, tell: () => void): void {
  if (Reflect.get(client, 'status') === 'connecting') lost.set(client, tell);
  else tell();
}

/** Clients that are just telling that they are connected, and not yet ready. */
const telling = new WeakSet<object>();

/** Whether a held client is just telling its listeners that it is connected, by which it is not yet ready. */
export function isTellingOfConnection(client: object): boolean {
  return telling.has(client);
}

function tellOfConnection(client: object, tell: (event: string) => boolean): boolean {
  telling.add(client);
  try {
    tell('connect');
  } finally {
    telling.delete(client);
  }
  return tell('ready');
}

/** Connects a held client with the next call that runs live: only those come to the client itself. */
function connectWithLiveCall(client: EagerClient, isHeld: () => boolean, waiting: (() => unknown)[]): void {
  const { sendCommand } = client;
  client.sendCommand = (...parameters) => {
    if (!isHeld()) {
      // In the context of the call that may connect, and not of the end.
      const context = contexts.active();
      waiting.push(() => runInContext(context, () => client.sendCommand(...parameters)));
      return (parameters[0] as { readonly promise: unknown }).promise;
    }
    Reflect.deleteProperty(client, 'sendCommand');
    // The command waits for the connection, and is told where there is none.
    client.connect().catch(() => undefined);
    return Reflect.apply(sendCommand, client, parameters);
  };
}

function hold(client: object): void {
  if (typeof client === 'function' || wireMode() !== 'replay') return;
  if (!isEager(client) || client.status !== 'connecting') return;
  const { emit } = client;
  // While it is being stopped it takes no call.
  const waiting: (() => unknown)[] = [];
  let hasEnded = false;
  holdSentinel(client);
  client.disconnect();
  // The end of what never began is not told.
  const held: EagerClient['emit'] = (event, ...parameters) => {
    const tell = (...told: [string, ...unknown[]]): boolean => Reflect.apply(emit, client, told);
    if (event !== 'end' || hasEnded) return tell(event, ...parameters);
    // Somebody may stand in front of it by now, who hears of subscriptions.
    if (client.emit === held) Reflect.deleteProperty(client, 'emit');
    hasEnded = true;
    if (waiting.length === 0) {
      const tellLost = lost.get(client);
      if (tellLost !== undefined) {
        tellLost();
        return true;
      }
      return tellOfConnection(client, tell);
    }
    for (const send of waiting) send();
    return true;
  };
  client.emit = held;
  connectWithLiveCall(client, () => hasEnded, waiting);
}

/**
 * Makes a client of ioredis whose constructor does all but connect. Its scripts, options and listeners are there as they were; the
 * listeners hear that it is connected and ready, unless it waits to be connected.
 */
export const makeHeld: MakeHeld = (target, parameters, newTarget) => {
  let isEagerOne = false;
  const connect = (): Promise<undefined> => {
    isEagerOne = true;
    return Promise.resolve(undefined);
  };
  const maker = function maker(): void {};
  maker.prototype = Object.create(newTarget.prototype, { connect: { value: connect } }) as object;
  const client = Reflect.construct(target, parameters, maker) as object;
  Object.setPrototypeOf(client, newTarget.prototype);
  if (isEagerOne && isEager(client)) tellReady(client);
  return client;
};

/** A client takes no live call for an end of it that it has not come to. */
function tellReady(client: EagerClient): void {
  client.status = 'connecting';
  let hasLiveCall = false;
  const isHeld = (): boolean => {
    client.status = 'end';
    hasLiveCall = true;
    return true;
  };
  connectWithLiveCall(client, isHeld, []);
  process.nextTick(() => {
    // Of a live connection the client itself tells.
    if (hasLiveCall) return;
    client.emit('connecting');
    client.status = 'end';
    const tellLost = lost.get(client);
    if (tellLost !== undefined) {
      tellLost();
      return;
    }
    tellOfConnection(client, (event) => client.emit(event));
  });
}
