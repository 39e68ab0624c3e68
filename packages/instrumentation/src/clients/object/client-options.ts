import { type CaptureLevel, type ErrorClass, ReenactError, type ValueClass } from '@reenact/trace-model';
import type { ClientMethod } from './client-definition.ts';

/** What may be said to a ready-made client wrapper. */
export interface ClientOptions {
  /**
   * First part of the crossings' names: `sessions.get` in the place of `redis.get`. For a client beside others of the same driver, or of one that
   * is called alike: calls of one name are told apart by their arguments and their order alone (docs/adr/0046).
   */
  readonly name?: string;
  /** How much of each call is kept. Default full; anything less cannot be replayed. */
  readonly capture?: CaptureLevel;
  /** Error classes of which a replay throws instances. The driver's own are found, unless it is bundled. */
  readonly errors?: readonly ErrorClass[];
  /** Classes of which a replay gives instances: of your own, or of a driver that is bundled. */
  readonly values?: readonly ValueClass[];
}

/** Names of everything `ClientOptions` can say. */
export const CLIENT_OPTION_NAMES: readonly (keyof ClientOptions)[] = ['name', 'capture', 'errors', 'values'];

/**
 * What holds the methods of a client's instances: the client itself, or the prototype of a client class. Throws ReenactError `bad-argument`
 * for what is neither, as where the client is not made yet.
 */
export function methodHolder(client: unknown): object {
  const holder: unknown = typeof client === 'function' ? client.prototype : client;
  if (typeof holder === 'object' && holder !== null) return holder;
  throw new ReenactError('bad-argument', `A wrapper of clients got ${typeof client}, which is no client.`, {
    next: 'Pass the client that the driver made, or the class that makes it.',
  });
}

/** The methods of a definition that this version of the driver, or this client of it, has. */
export function presentMethods(
  client: object,
  methods: Readonly<Record<string, ClientMethod>>,
): Record<string, ClientMethod> {
  const holder = methodHolder(client);
  return Object.fromEntries(
    Object.entries(methods).filter(([name]) => typeof Reflect.get(holder, name) === 'function'),
  );
}

/** Methods that do nothing to the world: events, and keeping the process alive or not. */
export const eventMethods: Readonly<Record<string, ClientMethod>> = Object.fromEntries(
  [
    'on',
    'once',
    'off',
    'addListener',
    'prependListener',
    'removeListener',
    'removeAllListeners',
    'setMaxListeners',
  ].map((name) => [name, { as: 'aside', returns: 'this' } as const]),
);
