import type { ClientMethod, ReturnedObject } from './client-definition.ts';
import { type ClientOptions, eventMethods, methodHolder } from './client-options.ts';
import { databaseClient } from './database-client.ts';
import { sqlEffect, sqlView } from './sql-call.ts';

const resultMembers = ['command', 'rowCount', 'oid', 'rows', 'fields'] as const;

function plainFields(fields: unknown): unknown {
  if (!Array.isArray(fields)) return fields;
  return fields.map((field: unknown) => (typeof field === 'object' && field !== null ? { ...field } : field));
}

/** The driver's result without its parsers, which are functions. Several statements in one text give several results. */
function keepResult(result: unknown): unknown {
  if (Array.isArray(result)) return result.map(keepResult);
  if (typeof result !== 'object' || result === null || !('rows' in result)) return result;
  const kept = Object.fromEntries(resultMembers.map((member) => [member, Reflect.get(result, member) as unknown]));
  return { ...kept, fields: plainFields(kept.fields) };
}

const query: ClientMethod = { name: 'postgresql.query', effect: sqlEffect, callback: true, keep: keepResult };
const end: ClientMethod = { name: 'postgresql.end', effect: 'none', callback: true };
const connect = { name: 'postgresql.connect', effect: 'read', callback: true } as const;
const connection: ReturnedObject = { methods: { query, release: { as: 'aside' }, ...eventMethods } };

function methodsOf(client: object): Readonly<Record<string, ClientMethod>> {
  const holder = methodHolder(client);
  // Only a pool counts connections, and only a pool's `connect` gives one.
  const returns: ClientMethod['returns'] = 'totalCount' in holder ? connection : 'this';
  return { query, end, connect: { ...connect, returns }, ...eventMethods };
}

/**
 * A `Client` or `Pool` of pg, or their class, as crossings `database:postgresql.<operation>`. Results come back in a replay
 * as plain objects with `command`, `rowCount`, `oid`, `rows` and `fields`. Not covered: query objects with a `submit`
 * method, such as cursors and streams; notifications; COPY.
 */
export function pgClient<Client extends object>(client: Client, options: ClientOptions = {}): Client {
  return databaseClient(
    client,
    { name: 'postgresql', view: sqlView('postgresql'), methods: () => methodsOf(client) },
    options,
  );
}
