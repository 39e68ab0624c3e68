import { processState } from '@reenact/trace-model';

/** Drivers of databases and queues that speak over sockets or files of their own, and the client name of their wrapper. */
const DRIVERS: ReadonlyMap<string, string | undefined> = new Map([
  ['@confluentinc/kafka-javascript', undefined],
  ['@duckdb/node-api', undefined],
  ['@lancedb/lancedb', undefined],
  ['@libsql/client', 'libsql'],
  ['@nats-io/transport-node', undefined],
  ['@valkey/valkey-glide', undefined],
  ['amqplib', undefined],
  ['better-sqlite3', 'sqlite'],
  ['cassandra-driver', undefined],
  ['couchbase', undefined],
  ['duckdb', undefined],
  ['ioredis', 'redis'],
  ['iovalkey', 'redis'],
  ['kafkajs', undefined],
  ['mariadb', undefined],
  ['mongodb', 'mongodb'],
  ['mqtt', undefined],
  ['mysql', undefined],
  ['mysql2', 'mysql'],
  ['nats', undefined],
  ['neo4j-driver', undefined],
  ['node:sqlite', 'sqlite'],
  ['oracledb', undefined],
  ['pg', 'postgresql'],
  ['postgres', undefined],
  ['redis', 'redis'],
  ['sqlite3', undefined],
  ['tedious', undefined],
]);

/** Parts of those packages that connect for them. */
const parts: ReadonlyMap<string, string> = new Map([
  ['@redis/client', 'redis'],
  ['libsql', '@libsql/client'],
]);

/** The driver that a package is, or connects for; undefined of any other. */
function driverOf(name: string): string | undefined {
  const driver = parts.get(name) ?? name;
  return DRIVERS.has(driver) ? driver : undefined;
}

/** The driver of which a loaded package is seen to be used. `libsql` is used without `@libsql/client`, too, as better-sqlite3 is. */
export function loadedDriver(name: string): string | undefined {
  return name === 'libsql' ? undefined : driverOf(name);
}

/** Names of the clients that `boundary.client` or one of its ready forms wrapped in this process: `postgresql`, `redis`. */
const wrapped = processState('wrapped-clients.1', () => new Set<string>());

/** A client of this name is behind the gate from now on. */
export function noteWrappedClient(name: string): void {
  wrapped.add(name);
}

/** Drivers of which a client that nobody wrapped has connected in this process, beside those that are wrapped. */
const unseen = processState('unseen-drivers.1', () => new Set<string>());

/** A package has connected where nothing records it. */
export function noteUnseenDriver(name: string): void {
  const driver = driverOf(name);
  if (driver !== undefined) unseen.add(driver);
}

/** Whether all that was seen of this driver in this process until now is behind the gate, and something is. */
export function isWrappedDriver(driver: string): boolean {
  const client = DRIVERS.get(driver);
  return client !== undefined && wrapped.has(client) && !unseen.has(driver);
}
