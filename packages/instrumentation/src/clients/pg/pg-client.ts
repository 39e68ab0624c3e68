import type { Announcements, ClientMethod, ReturnedObject } from '../object/client-definition.ts';
import { type ClientOptions, eventMethods, methodHolder } from '../object/client-options.ts';
import { databaseClient } from '../object/database-client.ts';
import type { DriverClasses } from '../object/driver-classes.ts';
import { hasStatement, sqlEffect, sqlView } from '../sql/sql-call.ts';
import { plainResult } from './pg-result.ts';
import { lentClient, revivedAnswer } from './pg-revived-result.ts';
import { pgRowFeed } from './pg-row-feed.ts';

/** Of whatever channel: what a statement listens to is the server's to read. */
const notifications: Announcements = {
  events: ['notification'],
  isOf: () => true,
  // Of a class that the driver gives to nobody.
  keep: ([message]) => [{ ...(message as object) }],
};

const query: ClientMethod = {
  name: 'postgresql.query',
  effect: sqlEffect,
  callback: true,
  keep: plainResult,
  revive: revivedAnswer,
  announces: (call) => (hasStatement(call, 'LISTEN') ? notifications : undefined),
  feed: pgRowFeed,
};
const end: ClientMethod = { name: 'postgresql.end', effect: 'none', callback: true, closes: true };
const connect = { name: 'postgresql.connect', effect: 'read', callback: true } as const;
/** They write a value as the driver does, which in a replay is not there to be asked. */
const writing: Readonly<Record<string, ClientMethod>> = {
  escapeIdentifier: { name: 'postgresql.escapeIdentifier', effect: 'none' },
  escapeLiteral: { name: 'postgresql.escapeLiteral', effect: 'none' },
};

/** By it the server is asked about a connection, or to cancel what it does. */
const getters: Readonly<Record<string, ClientMethod>> = {
  processID: { name: 'postgresql.processID', effect: 'read' },
};

/** How a pool stands: it lends and ends nothing in a replay. */
const poolGetters: Readonly<Record<string, ClientMethod>> = Object.fromEntries(
  ['totalCount', 'idleCount', 'waitingCount', 'expiredCount', 'ending', 'ended'].map((name) => [
    name,
    { name: `postgresql.${name}`, effect: 'read' },
  ]),
);

const connection: ReturnedObject = {
  methods: { query, end, release: { as: 'aside' }, ...writing, ...eventMethods },
  getters,
  likeness: lentClient,
};

/** An interval, read by the parser of the driver or of the application. */
function anInterval(driver: object): unknown {
  const types: unknown = Reflect.get(driver, 'types');
  const getTypeParser: unknown = typeof types === 'object' && types !== null && Reflect.get(types, 'getTypeParser');
  if (typeof getTypeParser !== 'function') return undefined;
  const parse = Reflect.apply(getTypeParser, types, [INTERVAL]) as (text: string) => unknown;
  return parse('1 day');
}

/** The number of the type in every server. */
const INTERVAL = 1186;

/** Where the classes of pg are found. */
export const pgClasses: DriverClasses = {
  packageName: 'pg',
  exported: ['Client', 'Pool'],
  errors: /^DatabaseError$/,
  values: { PostgresInterval: {} },
  made: (driver) => [anInterval(driver)],
};

/** Only a pool counts connections. */
function isPool(client: object): boolean {
  return 'totalCount' in methodHolder(client);
}

function methodsOf(client: object): Readonly<Record<string, ClientMethod>> {
  const returns: ClientMethod['returns'] = isPool(client) ? connection : 'this';
  return { query, end, connect: { ...connect, returns }, ...writing, ...eventMethods };
}

/**
 * A `Client` or `Pool` of pg, or their class, as crossings `database:postgresql.<operation>`. Results come back in a replay
 * as the driver's own, unless it stands on `libpq` (`pg-native`): then as plain objects with `command`, `rowCount`, `oid`, `rows` and `fields`. Rows that
 * `pg-cursor` and `pg-query-stream` read are chunks of their query; in a replay the very cursor or stream is fed from them.
 * Notifications are told again to a client that listens, not to a connection of a pool. Not covered: other query objects with a `submit` method; COPY.
 */
export function pgClient<Client extends object>(client: Client, options: ClientOptions = {}): Client {
  return databaseClient(
    client,
    {
      name: 'postgresql',
      view: sqlView('postgresql'),
      methods: () => methodsOf(client),
      getters: isPool(client) ? poolGetters : getters,
      isInert: true,
      classes: pgClasses,
    },
    options,
  );
}
