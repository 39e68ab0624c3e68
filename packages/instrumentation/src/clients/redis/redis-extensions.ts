import type { ClientMethod, ReturnedObject } from '../object/client-definition.ts';
import { methodHolder } from '../object/client-options.ts';

type Named = Readonly<Record<string, unknown>>;

function namedIn(holder: unknown, key: string): Named {
  const named: unknown = typeof holder === 'object' && holder !== null ? Reflect.get(holder, key) : undefined;
  return typeof named === 'object' && named !== null ? (named as Named) : {};
}

function commandOf(name: string, command: unknown): ClientMethod {
  const isReading = namedIn({ command }, 'command').IS_READ_ONLY === true;
  return { name: `redis.${name}`, effect: isReading ? 'read' : 'write' };
}

function commandsOf(commands: Named, prefix = ''): Record<string, ClientMethod> {
  return Object.fromEntries(
    Object.entries(commands).map(([name, command]) => [name, commandOf(`${prefix}${name}`, command)]),
  );
}

/** What a client of redis has beside the commands of the server itself, by the options it was made with. */
export interface RedisExtensions {
  /** Scripts of the application, which are methods of the client. */
  readonly scripts: Readonly<Record<string, ClientMethod>>;
  /** Modules and libraries of functions: `client.json`. */
  readonly members: Readonly<Record<string, ReturnedObject>>;
}

/** Scripts, functions and modules that `createClient` was given, or brings. */
export function redisExtensions(client: object): RedisExtensions {
  const options: unknown = Reflect.get(methodHolder(client), 'options');
  const groups = [
    ...Object.entries(namedIn(options, 'modules')),
    ...Object.entries(namedIn(options, 'functions')),
  ] as const;
  const members = groups.map(([name, commands]) => [
    name,
    { methods: commandsOf(namedIn({ commands }, 'commands'), `${name}.`) },
  ]);
  return {
    scripts: commandsOf(namedIn(options, 'scripts')),
    members: Object.fromEntries(members) as Record<string, ReturnedObject>,
  };
}

function isPlain(value: unknown): value is Named {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** It says by a class how a type of the server is read; of other values each is itself. */
function namedClasses(mapping: unknown): unknown {
  if (!isPlain(mapping) || !Object.values(mapping).every((value) => typeof value === 'function')) return mapping;
  return Object.fromEntries(Object.entries(mapping).map(([type, value]) => [type, (value as { name: string }).name]));
}

/** The arguments with type mappings by the names of their classes, which no recording can hold. */
export function keptMappings(parameters: readonly unknown[]): readonly unknown[] {
  return parameters.map((parameter) => {
    if (!isPlain(parameter) || !('typeMapping' in parameter)) return namedClasses(parameter);
    return { ...parameter, typeMapping: namedClasses(parameter.typeMapping) };
  });
}
