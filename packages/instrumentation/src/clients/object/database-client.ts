import { type ErrorClass, ReenactError } from '@reenact/trace-model';
import { checkOptions } from '../../gate/checked-options.ts';
import { boundaryClient } from './boundary-client.ts';
import type {
  ClientCall,
  ClientCallView,
  ClientDefinition,
  ClientMethod,
  MakeHeld,
  ReturnedObject,
} from './client-definition.ts';
import { CLIENT_OPTION_NAMES, type ClientOptions, methodHolder, presentMethods } from './client-options.ts';
import type { ConnectionState } from './connection-state.ts';
import { type DriverClasses, registerDriverClasses } from './driver-classes.ts';
import { wrapClient } from './wrap-client.ts';

/** What a ready-made wrapper knows of its driver. */
export interface DatabaseDriver {
  /** First part of the crossings' names. */
  readonly name: string;
  readonly view: (call: ClientCall) => ClientCallView;
  /** Methods that this or another version of the driver has. */
  readonly methods: () => Readonly<Record<string, ClientMethod>>;
  /** Members that hold an object whose methods are crossings, too. */
  readonly members?: Readonly<Record<string, ReturnedObject>>;
  /** Members whose reading is a crossing. */
  readonly getters?: Readonly<Record<string, ClientMethod>>;
  /** Making a client connects to nothing and opens nothing. */
  readonly isInert?: true;
  /** Makes an instance of the wrapped class in a replay, which connects only where a call of it runs live. */
  readonly makeHeld?: MakeHeld;
  /** The constructor puts no members on what it makes. */
  readonly isBare?: true;
  /** How a client says whether it is connected. */
  readonly connection?: ConnectionState;
  /** Methods that the application added to a client. */
  readonly added?: (client: object, name: string) => ClientMethod | undefined;
  /** What is recorded and compared of a call's arguments. */
  readonly keptArguments?: (parameters: readonly unknown[]) => readonly unknown[];
  /** The arguments as the client itself gets them. */
  readonly ownArguments?: (parameters: readonly unknown[]) => readonly unknown[];
  /** Notes what the client would know by an answer that a replay gave in its place. */
  readonly answered?: NonNullable<ClientDefinition['answered']>;
  /** Error classes that can be found without the user naming them. */
  readonly errors?: () => readonly ErrorClass[];
  /** Where the driver's own classes are, which the user then need not name. */
  readonly classes?: DriverClasses;
  /** The driver that is called alike, of which little would be recorded here. */
  readonly other?: OtherDriver;
}

/** A driver that another wrapper is for. */
export interface OtherDriver {
  readonly name: string;
  /** What its clients, or its class's prototype, have and this driver's have not. */
  readonly members: readonly string[];
  /** What this driver's have and its clients have not: a class of the application that extends this one may have the other's members, too. */
  readonly lacks: readonly string[];
  readonly wrapper: string;
}

/** Throws ReenactError `bad-argument` where a client is the other driver's. */
function refuseOther(client: object, where: string, { name, members, lacks, wrapper }: OtherDriver): void {
  const holder = methodHolder(client);
  const has = (member: string): boolean => member in holder;
  if (!members.every(has) || lacks.every(has)) return;
  throw new ReenactError('bad-argument', `This is a client of ${name}.`, { where, next: `Wrap it by ${wrapper}.` });
}

/** Throws ReenactError `bad-argument` where a client has nothing that is recorded: it is another driver's, or holds the client. */
function refuseStranger(present: Readonly<Record<string, ClientMethod>>, name: string): void {
  if (Object.values(present).some((method) => method.as !== 'aside')) return;
  throw new ReenactError(
    'bad-argument',
    'This has none of the methods of the driver, so nothing of it would be recorded.',
    {
      where: `database:${name}`,
      next: 'Wrap the client that the driver made, or its class; boundary.client takes any other client.',
    },
  );
}

/**
 * A client of a known driver, or its class, behind the gate; the client itself where ours fails outside a replay. Throws ReenactError
 * `bad-argument` for an option or a value of one that does not exist, and for a client of another driver.
 */
export function databaseClient<Client extends object>(
  client: Client,
  { methods, errors, classes, other, ...driver }: DatabaseDriver,
  options: ClientOptions,
): Client {
  return wrapClient(client, () => {
    checkOptions(`database:${driver.name}`, options, CLIENT_OPTION_NAMES);
    if (other !== undefined) refuseOther(client, `database:${driver.name}`, other);
    if (classes !== undefined) registerDriverClasses(client, classes);
    const found = [...(errors?.() ?? []), ...(options.errors ?? [])];
    const present = presentMethods(client, methods());
    refuseStranger(present, driver.name);
    return boundaryClient<object>(client, {
      kind: 'database',
      isWhole: true,
      ...options,
      ...driver,
      ...(options.name !== undefined && { ownName: options.name }),
      errors: found,
      methods: present,
    }) as Client;
  });
}
