import type { ClientMethod, ReturnedObject } from './client-definition.ts';
import { type ClientOptions, eventMethods, methodHolder } from './client-options.ts';
import { redisBoundary, redisExec } from './redis-boundary.ts';

/** Commands of a pipeline are steps, which `exec` sends together. */
const pipeline: ReturnedObject = {
  methods: { exec: redisExec, execBuffer: { ...redisExec, name: 'redis.execBuffer' } },
  otherMethods: 'steps',
};

const ofConnection: Readonly<Record<string, ClientMethod>> = {
  connect: { name: 'redis.connect', effect: 'read' },
  quit: { name: 'redis.quit', effect: 'none' },
  disconnect: { as: 'aside' },
  multi: { as: 'step', returns: pipeline },
  pipeline: { as: 'step', returns: pipeline },
  ...eventMethods,
};

/** Their answers come as events, or they change what the connection is. */
const left: ReadonlySet<string> = new Set([
  'monitor',
  'subscribe',
  'psubscribe',
  'ssubscribe',
  'unsubscribe',
  'punsubscribe',
  'sunsubscribe',
]);

function commandsOf(client: object): readonly string[] {
  const holder = methodHolder(client);
  const list: unknown = Reflect.get(holder, 'getBuiltinCommands');
  const commands = typeof list === 'function' ? (Reflect.apply(list, holder, []) as readonly string[]) : [];
  return commands.filter((command) => !left.has(command)).flatMap((command) => [command, `${command}Buffer`]);
}

/**
 * A client of ioredis, or its class, as crossings `database:redis.<command>`; a pipeline or transaction is one crossing
 * `redis.exec`. Version 6 throws a class that its main module does not export: name `SimpleError` of
 * `ioredis/built/resp/errors.js` in `errors`. Not covered: callbacks (the promise is), subscriptions, `duplicate`, scan
 * streams, commands of your own.
 */
export function ioredisClient<Client extends object>(client: Client, options: ClientOptions = {}): Client {
  return redisBoundary(client, () => commandsOf(client), ofConnection, options);
}
