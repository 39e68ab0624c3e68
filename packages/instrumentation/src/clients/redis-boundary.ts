import type { ClientMethod } from './client-definition.ts';
import type { ClientOptions } from './client-options.ts';
import { databaseClient } from './database-client.ts';
import { redisEffect } from './redis-effect.ts';
import { redisView } from './redis-view.ts';

/** What sends the steps of a transaction or pipeline together. */
export const redisExec: ClientMethod = { name: 'redis.exec', effect: 'write' };

/** A client of either driver whose commands are crossings `database:redis.<command>`; `others` says what the rest does. */
export function redisBoundary<Client extends object>(
  client: Client,
  commands: () => readonly string[],
  others: Readonly<Record<string, ClientMethod>>,
  options: ClientOptions,
): Client {
  const command = (name: string): [string, ClientMethod] => [name, { name: `redis.${name}`, effect: redisEffect }];
  const methods = (): Record<string, ClientMethod> => ({ ...Object.fromEntries(commands().map(command)), ...others });
  return databaseClient(client, { name: 'redis', view: redisView, methods }, options);
}
