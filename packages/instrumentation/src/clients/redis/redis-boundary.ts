import type { ErrorClass } from '@reenact/trace-model';
import { listenerInPlace } from '../object/announcements.ts';
import type { ClientMethod, MakeHeld, ReturnedObject } from '../object/client-definition.ts';
import type { ClientOptions } from '../object/client-options.ts';
import type { ConnectionState } from '../object/connection-state.ts';
import { databaseClient, type OtherDriver } from '../object/database-client.ts';
import type { DriverClasses } from '../object/driver-classes.ts';
import { redisEffect } from './redis-effect.ts';
import { redisView } from './redis-view.ts';

/** What sends the steps of a transaction or pipeline together. */
export const redisExec: ClientMethod = { name: 'redis.exec', effect: 'write' };

/** What a monitor asks for comes as events, for as long as the connection is there: longer than any run. */
export const monitoring = { effect: 'read', loses: 'messages' } as const satisfies ClientMethod;

/** A command under its own name. */
export function commandMethod(name: string): [string, ClientMethod] {
  return [name, { name: `redis.${name}`, effect: redisEffect }];
}

/** What a ready-made wrapper knows of one of the two drivers. */
export interface RedisDriver {
  readonly commands: () => readonly string[];
  /** What is true of every command beside its name and effect. */
  readonly everyCommand?: ClientMethod;
  /** Methods that are no commands. */
  readonly others: () => Readonly<Record<string, ClientMethod>>;
  /** Members that hold an object whose methods are crossings, too. */
  readonly members?: Readonly<Record<string, ReturnedObject>>;
  /** What is recorded and compared of a call's arguments. */
  readonly keptArguments?: (parameters: readonly unknown[]) => readonly unknown[];
  /** Error classes that can be found without the user naming them. */
  readonly errors?: () => readonly ErrorClass[];
  readonly classes: DriverClasses;
  readonly connection: ConnectionState;
  readonly other: OtherDriver;
  /** Makes an instance of the wrapped class in a replay. */
  readonly makeHeld?: MakeHeld;
  /** Methods that the application added to a client. */
  readonly added?: (client: object, name: string) => ClientMethod | undefined;
}

/** A client of either driver whose commands are crossings `database:redis.<command>`. */
export function redisBoundary<Client extends object>(
  client: Client,
  {
    commands,
    everyCommand,
    others,
    members,
    keptArguments,
    errors,
    classes,
    connection,
    other,
    makeHeld,
    added,
  }: RedisDriver,
  options: ClientOptions,
): Client {
  const command = (name: string): [string, ClientMethod] => [name, { ...everyCommand, ...commandMethod(name)[1] }];
  const methods = (): Record<string, ClientMethod> => ({ ...Object.fromEntries(commands().map(command)), ...others() });
  return databaseClient(
    client,
    {
      name: 'redis',
      view: redisView,
      methods,
      classes,
      connection,
      other,
      ownArguments: (parameters) => parameters.map(listenerInPlace),
      ...(members && { members }),
      ...(keptArguments && { keptArguments }),
      ...(makeHeld && { makeHeld }),
      ...(added && { added }),
      ...(errors && { errors }),
    },
    options,
  );
}
