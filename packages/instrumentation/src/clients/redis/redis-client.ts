import { EventEmitter } from 'node:events';
import { guarded } from '../../host/report-failure.ts';
import type { Announcements, ClientCall, ClientMethod, ReturnedObject } from '../object/client-definition.ts';
import { type ClientOptions, eventMethods } from '../object/client-options.ts';
import type { ConnectionState } from '../object/connection-state.ts';
import type { DriverClasses } from '../object/driver-classes.ts';
import { commandMethod, monitoring, redisBoundary, redisExec } from './redis-boundary.ts';
import { keptMappings, redisExtensions } from './redis-extensions.ts';
import { poolExecute } from './redis-pool.ts';

/** Commands of a transaction are steps, which `exec` sends together. */
const transaction: ReturnedObject = {
  otherMethods: 'steps',
  methods: {
    exec: redisExec,
    execTyped: redisExec,
    execAsPipeline: redisExec,
    execAsPipelineTyped: redisExec,
    EXEC: redisExec,
  },
};

function withTransactions(returns: ReturnedObject): Readonly<Record<string, ClientMethod>> {
  return { multi: { as: 'step', returns }, MULTI: { as: 'step', returns } };
}

/** Scripts and modules of a client; modules and functions are members of its transactions, too. */
function extensionsOf(client: object) {
  const { scripts, members } = redisExtensions(client);
  const steps: ReturnedObject = { methods: {}, otherMethods: 'steps of its holder' };
  const stepMembers = Object.fromEntries(Object.keys(members).map((name) => [name, steps]));
  return { scripts, members, transactions: withTransactions({ ...transaction, members: stepMembers }) };
}

const ofConnection: Readonly<Record<string, ClientMethod>> = {
  connect: { name: 'redis.connect', effect: 'read', returns: 'this' },
  sendCommand: { name: 'redis.sendCommand', effect: 'write' },
  close: { name: 'redis.close', effect: 'none', closes: true },
  quit: { name: 'redis.quit', effect: 'none', closes: true },
  disconnect: { name: 'redis.disconnect', effect: 'none', closes: true },
  destroy: { as: 'aside' },
  duplicate: { as: 'aside', returns: 'alike' },
  withTypeMapping: { as: 'step', returns: 'alike' },
  withCommandOptions: { as: 'step', returns: 'alike' },
  withAbortSignal: { as: 'aside', returns: 'alike' },
  asap: { as: 'aside', returns: 'alike' },
  ...eventMethods,
};

/** Where the classes of redis are found. */
export const redisClasses: DriverClasses = {
  packageName: '@redis/client',
  exported: ['RedisClient'],
  byDefault: 'RedisClient',
  errors: /(?:Error|Reply)$/,
};

/** Of one connection; those that hold several tell of each in a way of their own. */
function emitterOf(client: object): EventEmitter | undefined {
  const isOne = 'isReady' in client && !('acquire' in client);
  return isOne && client instanceof EventEmitter ? client : undefined;
}

const connection: ConnectionState = {
  openingOf: (client) => {
    const emitter = emitterOf(client);
    return emitter && [() => emitter.emit('connect'), () => emitter.emit('ready')];
  },
  endOf: (client, _, stage) => {
    const emitter = stage === 'new' ? undefined : emitterOf(client);
    return emitter && (() => emitter.emit('end'));
  },
  endsAtOnce: true,
  members: {
    isOpen: (stage, real) => real === true || stage === 'opening' || stage === 'ready',
    isReady: (stage, real) => real === true || stage === 'ready',
  },
  connect: 'connect',
  closes: ['close', 'quit', 'QUIT', 'disconnect', 'destroy'],
  isClosed: (client) => Reflect.get(client, 'isOpen') === false,
};

/** No commands, though they are written like some: they have a shape of their own. */
const left = /^(?:QUIT|MULTI|MONITOR|[PS]?(?:UN)?SUBSCRIBE|CLIENT_.*)$/;

/** What they ask for comes to their listeners, message first and channel second. */
function messagesOf({ method, parameters: [asked, listener] }: ClientCall): Announcements {
  const channels = new Set([asked].flat().map(String));
  // The channel that comes with a message of a pattern is none of those asked for.
  const isOf = (_: string, [, channel]: readonly unknown[]): boolean =>
    /^p/i.test(method) || channels.has(String(channel));
  return { events: ['message'], listener, isOf };
}

const subscriptions: Readonly<Record<string, ClientMethod>> = Object.fromEntries([
  ...['subscribe', 'SUBSCRIBE', 'pSubscribe', 'PSUBSCRIBE', 'sSubscribe', 'SSUBSCRIBE'].map(
    (name) => [name, { name: `redis.${name}`, effect: 'read', announces: messagesOf }] as const,
  ),
  ...['monitor', 'MONITOR'].map((name) => [name, { name: `redis.${name}`, ...monitoring }] as const),
  ...['unsubscribe', 'UNSUBSCRIBE', 'pUnsubscribe', 'PUNSUBSCRIBE', 'sUnsubscribe', 'SUNSUBSCRIBE'].map(
    (name) => [name, { name: `redis.${name}`, effect: 'none' }] as const,
  ),
]);

/** Every command exists twice, as `HGETALL` and `hGetAll`; nothing else is written in capitals. */
function commandsOf(client: object): string[] {
  const members = new Map<string, string[]>();
  for (let holder: object | null = client; holder !== null; holder = Object.getPrototypeOf(holder) as object | null) {
    for (const name of Object.getOwnPropertyNames(holder)) {
      const key = name.replaceAll('_', '').toLowerCase();
      members.set(key, [...(members.get(key) ?? []), name]);
    }
  }
  return Array.from(members.values())
    .filter((names) => names.some((name) => /^[A-Z][A-Z0-9_]*$/.test(name) && !left.test(name)))
    .flat();
}

/** What a client has that a pool gives, and the pool has not. */
const ofOneConnection = ['WATCH', 'watch', 'UNWATCH', 'unwatch'];

/** `scanIterator` and its kin, each a generator that sends one command after the other. */
function iteratorsOf(client: object): Record<string, ClientMethod> {
  const names: string[] = [];
  for (let holder: object | null = client; holder !== null; holder = Object.getPrototypeOf(holder) as object | null) {
    names.push(...Object.getOwnPropertyNames(holder).filter((name) => /scan\w*Iterator$/i.test(name)));
  }
  return Object.fromEntries(names.map((name) => [name, { name: `redis.${name}`, effect: 'read' }]));
}

/**
 * A client that `createClient` of redis gave, as crossings `database:redis.<command>`; a transaction is one crossing
 * `redis.exec`. The messages of a subscription are told again, inside it, while its run goes on. Scripts,
 * functions and modules (`client.json`) are covered as the options of the client name them.
 */
export function redisClient<Client extends object>(client: Client, options: ClientOptions = {}): Client {
  const { scripts, members, transactions } = guarded('looking for scripts and modules', () => extensionsOf(client), {
    scripts: {},
    members: {},
    transactions: withTransactions(transaction),
  });
  const ofClient = { ...scripts, ...ofConnection, ...transactions };
  const others = (): Record<string, ClientMethod> => {
    const commands = [...commandsOf(client), ...ofOneConnection].map(commandMethod);
    const methods = { ...Object.fromEntries(commands), ...ofClient };
    return { ...ofClient, ...subscriptions, ...iteratorsOf(client), execute: poolExecute({ methods, members }) };
  };
  return redisBoundary(
    client,
    {
      commands: () => commandsOf(client),
      others,
      members,
      classes: redisClasses,
      connection,
      other: { name: 'ioredis', members: ['getBuiltinCommands'], lacks: ['GET', 'hGetAll'], wrapper: 'ioredisClient' },
      keptArguments: keptMappings,
    },
    options,
  );
}
