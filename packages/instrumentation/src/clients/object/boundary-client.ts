import { ReenactError } from '@reenact/trace-model';
import { wireMode } from '../../admission/current-gate.ts';
import { checkKind, checkOptions } from '../../gate/checked-options.ts';
import { coveredWork } from '../../run/covered-work.ts';
import type { ClientClass, ClientDefinition, ClientMethod, ReturnedObject } from './client-definition.ts';
import { ClientGate } from './client-gate.ts';
import { ClientObject } from './client-object.ts';
import { wrapClient } from './wrap-client.ts';

/** Names of members that are functions, so that an editor completes them and a misspelt one is an error. */
export type MethodNameOf<Client> = {
  [Name in keyof Client]: Client[Name] extends (...parameters: never[]) => unknown ? Name : never;
}[keyof Client] &
  string;

/** The methods of a client, or of the instances of a client class. */
export type ClientMethodName<Client> = Client extends abstract new (
  ...parameters: never[]
) => infer Instance
  ? MethodNameOf<Instance>
  : MethodNameOf<Client>;

const WHERE = 'boundary.client(object, definition)';

const definitionNames: readonly (keyof ClientDefinition)[] = [
  'kind',
  'name',
  'ownName',
  'methods',
  'members',
  'getters',
  'isInert',
  'makeHeld',
  'isBare',
  'isWhole',
  'connection',
  'added',
  'effect',
  'capture',
  'errors',
  'values',
  'policy',
  'keptArguments',
  'ownArguments',
  'answered',
  'view',
];

function isClass(value: unknown): value is ClientClass {
  return typeof value === 'function' && typeof value.prototype === 'object' && value.prototype !== null;
}

function badArgument(message: string, next: string): ReenactError {
  return new ReenactError('bad-argument', message, { where: WHERE, next });
}

function methodsOf({ methods }: ClientDefinition): Record<string, ClientMethod> {
  const list: Iterable<[PropertyKey, ClientMethod | undefined]> = Array.isArray(methods)
    ? methods.map((name: string) => [name, {}] as [string, ClientMethod])
    : Object.entries(methods as Record<string, ClientMethod | undefined>);
  return Object.fromEntries(Array.from(list, ([name, method]) => [name, method ?? {}]));
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** What JavaScript passes where the types would have told it. */
function checkDefinition(definition: unknown): asserts definition is ClientDefinition {
  if (!isObject(definition)) {
    throw badArgument(
      'boundary.client got no definition.',
      "Say what the client is and which methods are recorded: { kind: 'database', methods: ['query'] }.",
    );
  }
  const { kind, methods, members, getters, connection, added } = definition as ClientDefinition;
  checkKind(WHERE, kind);
  checkOptions(WHERE, definition, definitionNames);
  const hasOthers = [members, getters, connection, added].some((other) => other !== undefined);
  if (isObject(methods) && (hasOthers || Object.keys(methods).length > 0)) return;
  throw badArgument(
    'The definition names no methods, so nothing of the client would be recorded.',
    "List those that are recorded: methods: ['query', 'close'].",
  );
}

function checkHolder(holder: unknown, methods: Record<string, ClientMethod>): asserts holder is object {
  if (!isObject(holder) && typeof holder !== 'function') {
    throw badArgument(
      'boundary.client got something that is no object.',
      'Pass the client, or the class that makes it.',
    );
  }
  const absent = Object.keys(methods).filter((name) => typeof Reflect.get(holder, name) !== 'function');
  if (absent.length === 0) return;
  throw badArgument(
    `The client has no method ${absent.join(', ')}.`,
    'List methods that it has; the others cannot be recorded.',
  );
}

/** In a replay nothing is constructed that is not known to be inert: a constructor may open a file or a connection. */
function wrapClass(
  clientClass: ClientClass,
  gate: ClientGate,
  shape: ReturnedObject,
  { isInert, isBare, makeHeld }: ClientDefinition,
): ClientClass {
  return new Proxy(clientClass, {
    construct(target, parameters: unknown[], newTarget) {
      const make = (): object => Reflect.construct(target, parameters, newTarget) as object;
      const maker = newTarget as unknown as { readonly prototype: object };
      const { prototype } = maker;
      const origin = { make, steps: [], prototype, isBare: isBare === true };
      const isLeftOut = isInert !== true && wireMode() === 'replay';
      if (isLeftOut) {
        const held = makeHeld && { real: makeHeld(target, parameters, maker) };
        return new ClientObject(gate, shape, { ...origin, ...held }).proxy;
      }
      const real = coveredWork(make);
      return wrapClient(real, () => new ClientObject(gate, shape, { ...origin, real }).proxy);
    },
  });
}

/**
 * Makes the listed methods of a client crossings: of a database, a queue, any object with methods. Returns a proxy to use
 * in the client's place: same class, members and results; methods stay synchronous, promises, iterators or callbacks as they
 * are. Given a class, returns one that makes such clients, and whose constructor does not run in a replay, unless it `isInert`. Where ours fails it
 * returns the client itself, which is then not recorded.
 *
 * Throws a ReenactError `bad-argument` for a kind, method or option that does not exist. Calls throw only what the client throws,
 * and inside a replay the replay's refusals.
 */
export function boundaryClient<Client extends object>(
  object: Client,
  definition: ClientDefinition<ClientMethodName<Client>>,
): Client {
  return wrapClient(object, () => {
    const plain: unknown = definition;
    checkDefinition(plain);
    const methods = methodsOf(plain);
    checkHolder(isClass(object) ? object.prototype : object, methods);
    const className = isClass(object) ? object.name : object.constructor?.name;
    const gate = new ClientGate(plain.name ?? className ?? 'client', plain, object);
    const { members, getters, connection, added } = plain;
    const shape: ReturnedObject = {
      methods,
      ...(members && { members }),
      ...(getters && { getters }),
      ...(connection && { connection }),
      ...(added && { added }),
    };
    if (isClass(object)) return wrapClass(object, gate, shape, plain) as Client & ClientClass;
    return new ClientObject(gate, shape, { real: object, make: () => object, steps: [] }).proxy as Client;
  });
}
