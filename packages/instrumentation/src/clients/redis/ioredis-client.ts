import type { ErrorClass } from '@reenact/trace-model';
import { noteEagerClient } from '../../connections/unseen/eager-clients.ts';
import type { Announcements, ClientCall, ClientMethod, ReturnedObject } from '../object/client-definition.ts';
import { type ClientOptions, eventMethods, methodHolder } from '../object/client-options.ts';
import type { DriverClasses } from '../object/driver-classes.ts';
import { holdConnection, makeHeld } from './hold-connection.ts';
import { tellCommands } from './ioredis-command-callbacks.ts';
import { ioredisConnection } from './ioredis-connection.ts';
import { ioredisScanFeed } from './ioredis-scan-feed.ts';
import { monitoring, type RedisDriver, redisBoundary, redisExec } from './redis-boundary.ts';
import { redisEffect } from './redis-effect.ts';

const exec: ClientMethod = { ...redisExec, callback: 'beside a promise', revive: tellCommands };

/** Commands of a pipeline are steps, which `exec` sends together. */
const pipeline: ReturnedObject = {
  methods: { exec, execBuffer: { ...exec, name: 'redis.execBuffer' } },
  otherMethods: 'steps',
};

const call: ClientMethod = {
  effect: ({ parameters: [command] }) => redisEffect({ method: String(command), parameters: [], steps: [] }),
  callback: 'beside a promise',
};

const ofConnection: Readonly<Record<string, ClientMethod>> = {
  call: { ...call, name: 'redis.call' },
  callBuffer: { ...call, name: 'redis.callBuffer' },
  connect: { name: 'redis.connect', effect: 'read', callback: 'beside a promise' },
  quit: { name: 'redis.quit', effect: 'none', callback: 'beside a promise', closes: true },
  disconnect: { as: 'aside' },
  duplicate: { as: 'aside', returns: 'alike', gave: holdConnection },
  multi: { as: 'step', returns: pipeline },
  pipeline: { as: 'step', returns: pipeline },
  ...Object.fromEntries(
    ['scan', 'sscan', 'hscan', 'zscan']
      .flatMap((command) => [`${command}Stream`, `${command}BufferStream`])
      .map((name) => [name, { name: `redis.${name}`, effect: 'read', feed: ioredisScanFeed } as const]),
  ),
  ...eventMethods,
};

/** Where the classes of ioredis are found. */
export const ioredisClasses: DriverClasses = {
  packageName: 'ioredis',
  exported: ['Redis', 'Cluster'],
  errors: /Error$/,
};

/** The other one was made of its code, and connects as it does. */
const packages = [ioredisClasses.packageName, 'iovalkey'];

/** A command of the application's own, a script that the server runs: `defineCommand`, or the option `scripts`. */
function definedCommand(client: object, name: string): ClientMethod | undefined {
  const scripts: unknown = Reflect.get(client, 'scriptsSet');
  if (typeof scripts !== 'object' || scripts === null) return undefined;
  const key = [name, name.replace(/Buffer$/, '')].find((candidate) => Object.hasOwn(scripts, candidate));
  if (key === undefined) return undefined;
  const script = Reflect.get(scripts, key) as { readonly readOnly?: unknown };
  return { name: `redis.${name}`, effect: script.readOnly === true ? 'read' : 'write', callback: 'beside a promise' };
}

/** Each with its channel or pattern first. */
const messageEvents: Readonly<Record<string, readonly string[]>> = {
  subscribe: ['message', 'messageBuffer'],
  psubscribe: ['pmessage', 'pmessageBuffer'],
  ssubscribe: ['smessage', 'smessageBuffer'],
};

/** What they ask for comes as events. */
function messagesOf({ method, parameters }: ClientCall): Announcements {
  const asked = new Set(parameters.flat().map(String));
  return { events: messageEvents[method] ?? [], isOf: (_, [channel]) => asked.has(String(channel)) };
}

const subscriptions: Readonly<Record<string, ClientMethod>> = Object.fromEntries([
  ...['subscribe', 'psubscribe', 'ssubscribe'].map(
    (name) =>
      [name, { name: `redis.${name}`, effect: 'read', callback: 'beside a promise', announces: messagesOf }] as const,
  ),
  ...['unsubscribe', 'punsubscribe', 'sunsubscribe'].map(
    (name) => [name, { name: `redis.${name}`, effect: 'none', callback: 'beside a promise' }] as const,
  ),
]);

/** What the server is asked by others, on a connection that `monitor` makes. */
const monitor: ReturnedObject = { methods: { disconnect: { as: 'aside' }, quit: { as: 'aside' }, ...eventMethods } };

function commandsOf(client: object): readonly string[] {
  const holder = methodHolder(client);
  const list: unknown = Reflect.get(holder, 'getBuiltinCommands');
  const commands = typeof list === 'function' ? (Reflect.apply(list, holder, []) as readonly string[]) : [];
  return commands.flatMap((command) => [command, `${command}Buffer`]);
}

/**
 * The class of what a server answers with is exported by none of version 6, only its parent: `ReplyError`, which the package
 * hangs on the class of clients. An application can tell no other.
 */
function errorClassesOf(client: object): readonly ErrorClass[] {
  const ReplyError: unknown = Reflect.get(typeof client === 'function' ? client : client.constructor, 'ReplyError');
  if (typeof ReplyError !== 'function') return [];
  const Parent = ReplyError as new () => Error;
  class SimpleError extends Parent {
    override get name(): string {
      return 'ReplyError';
    }
  }
  return [Parent, SimpleError];
}

/** Whether one of the nodes that a cluster knows is there: it opens any number of connections to each. */
function isNodeOf(pool: object, place: string): boolean {
  const nodes: unknown = Reflect.get(pool, 'nodes');
  const all: unknown = typeof nodes === 'object' && nodes !== null ? Reflect.get(nodes, 'all') : undefined;
  // Another version may keep them elsewhere.
  return typeof all !== 'object' || all === null || Object.hasOwn(all, place);
}

/** The connection that the next one takes the place of; of a client that may open several, something of its own each time. */
function attemptOf(client: object, place: string): unknown {
  const pool: unknown = Reflect.get(client, 'connectionPool');
  if (typeof pool === 'object' && pool !== null) return isNodeOf(pool, place) ? {} : undefined;
  const connector: unknown = Reflect.get(client, 'connector');
  if (typeof connector !== 'object' || connector === null) return {};
  if (Reflect.get(client, 'status') !== 'connecting') return undefined;
  // It asks sentinels first, each over a connection of its own.
  if ('sentinelIterator' in connector) return {};
  const stream: unknown = Reflect.get(connector, 'stream');
  if (typeof stream !== 'object' || stream === null) return 'first';
  return Reflect.get(stream, 'destroyed') === true ? stream : undefined;
}

/**
 * A client of ioredis, or its class, as crossings `database:redis.<command>`; a pipeline or transaction is one crossing
 * `redis.exec`, a scan stream one whose chunks are the server's replies. What the server answers with is thrown again as a
 * `ReplyError`. Commands of the application's own are crossings, too. The messages of a subscription are told again, inside it, while
 * its run goes on. Not covered: `multi({ pipeline: false })`.
 */
export function ioredisClient<Client extends object>(client: Client, options: ClientOptions = {}): Client {
  const driver: RedisDriver = {
    commands: () => commandsOf(client),
    everyCommand: { callback: 'beside a promise' },
    others: () => ({
      ...ofConnection,
      ...subscriptions,
      monitor: { name: 'redis.monitor', ...monitoring, callback: 'beside a promise', returns: monitor },
    }),
    errors: () => errorClassesOf(client),
    classes: ioredisClasses,
    connection: ioredisConnection,
    other: { name: 'redis', members: ['GET', 'hGetAll'], lacks: ['getBuiltinCommands'], wrapper: 'redisClient' },
    makeHeld,
    added: definedCommand,
  };
  const wrapped = redisBoundary(client, driver, options);
  holdConnection(client);
  if (typeof client !== 'function') noteEagerClient(packages, client, attemptOf);
  return wrapped;
}
