import { EventEmitter } from 'node:events';
import type { AnsweredCall } from '../object/answered-call.ts';

type Class = new (...parameters: unknown[]) => object;

/** A result as the driver makes it before anything came. */
interface EmptyResult {
  addFields(fields: readonly unknown[]): void;
}

/** A client that knows its class's own query and how to read values, and is connected to nothing. */
type Client = object;

function isClass(value: unknown): value is Class {
  return typeof value === 'function';
}

function memberOf(holder: unknown, key: string): unknown {
  const isHolder = (typeof holder === 'object' && holder !== null) || typeof holder === 'function';
  return isHolder ? (Reflect.get(holder, key) as unknown) : undefined;
}

/** By the options of the pool: the client is made once. */
const clientsOfPools = new WeakMap<object, Client>();

/** A client as a pool makes them, which connects when it is told to. */
function unconnectedClient(pool: object): Client | undefined {
  const ClientClass: unknown = Reflect.get(pool, 'Client');
  return isClass(ClientClass) ? new ClientClass(Reflect.get(pool, 'options')) : undefined;
}

/** One as a pool gives them, which can be released once: the pool's own code refuses it a second time. */
export function lentClient(pool: object): Client | undefined {
  const client = unconnectedClient(pool);
  const releaseOnce: unknown = Reflect.get(pool, '_releaseOnce');
  if (client === undefined || typeof releaseOnce !== 'function') return client;
  const release = Reflect.apply(releaseOnce, { _release: () => undefined }, [client]) as unknown;
  return Object.assign(client, { release });
}

function clientOf(call: AnsweredCall): Client | undefined {
  const member = (key: string): unknown => call.memberOf(key);
  const options = member('options');
  if (typeof options !== 'object' || options === null || !isClass(member('Client')))
    return { constructor: member('constructor'), _types: member('_types'), connection: member('connection') };
  const known = clientsOfPools.get(options);
  if (known !== undefined) return known;
  const made = unconnectedClient({ Client: member('Client'), options });
  if (made !== undefined) clientsOfPools.set(options, made);
  return made;
}

/** What a server says of one column that has no name. */
const ONE_COLUMN = Buffer.concat([Buffer.from('T'), Buffer.from([0, 0, 0, 25, 0, 1]), Buffer.alloc(19)]);

/** By the class of the driver's connections. */
const columnPrototypes = new WeakMap<Class, object>();

/** The class of columns, which the driver gives to nobody: its own parser makes one. */
function columnPrototype(client: Client): object | undefined {
  const Connection = memberOf(memberOf(client, 'connection'), 'constructor');
  if (!isClass(Connection)) return undefined;
  const known = columnPrototypes.get(Connection);
  if (known !== undefined) return known;
  const stream = new EventEmitter();
  const connection = new Connection({ stream }) as EventEmitter & { attachListeners(stream: EventEmitter): void };
  connection.once('rowDescription', ({ fields: [column] }: { fields: readonly object[] }) => {
    if (column !== undefined) columnPrototypes.set(Connection, Object.getPrototypeOf(column) as object);
  });
  connection.attachListeners(stream);
  stream.emit('data', ONE_COLUMN);
  return columnPrototypes.get(Connection);
}

function columnsFrom(kept: readonly object[], prototype: object | undefined): readonly object[] {
  if (prototype === undefined) return kept;
  return kept.map((column) => Object.assign(Object.create(prototype) as object, column));
}

/** Columns bring the parsers of the client with them. */
function fill(result: object, kept: Readonly<Record<string, unknown>>, client: Client | undefined): void {
  const { fields, ...others } = kept;
  const columns = Array.isArray(fields) ? (fields as object[]) : [];
  if (columns.length > 0) (result as EmptyResult).addFields(columnsFrom(columns, client && columnPrototype(client)));
  Object.assign(result, others);
}

/** Fills the result that a cursor has of its own with what was recorded of it. */
export function fillResult(result: object, kept: Readonly<Record<string, unknown>>, call: AnsweredCall): void {
  const client = clientOf(call);
  if (memberOf(result, '_types') === undefined) Object.assign(result, { _types: memberOf(client, '_types') });
  fill(result, kept, client);
}

function revivedResult(kept: unknown, client: Client, config: unknown): unknown {
  if (Array.isArray(kept)) return kept.map((one) => revivedResult(one, client, config));
  const Query = memberOf(memberOf(client, 'constructor'), 'Query');
  if (!isClass(Query) || typeof kept !== 'object' || kept === null || !('rows' in kept)) return kept;
  const types = memberOf(config, 'types') ?? memberOf(client, '_types');
  const result = memberOf(new Query({ text: '', rowMode: memberOf(config, 'rowMode'), types }), '_result');
  if (typeof memberOf(result, 'addFields') !== 'function') return kept;
  fill(result as object, kept as Record<string, unknown>, client);
  return result;
}

/**
 * What a query of pg gives, as an instance of the driver's own class, made of what was recorded of it. The recorded result itself where
 * the client has no such class, as the one on top of `libpq`.
 */
export function revivedAnswer(kept: unknown, call: AnsweredCall): unknown {
  const client = clientOf(call);
  return client === undefined ? kept : revivedResult(kept, client, call.parameters[0]);
}
