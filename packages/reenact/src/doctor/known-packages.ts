/** Packages that hold the state all OpenTelemetry users of a process meet in. */
export const API_PACKAGES: ReadonlySet<string> = new Set(['@opentelemetry/api', '@opentelemetry/api-logs']);

/** Drivers of databases and queues that speak over sockets or files of their own, and the client name of their wrapper. */
export const DRIVERS: ReadonlyMap<string, string | undefined> = new Map([
  ['@libsql/client', undefined],
  ['amqplib', undefined],
  ['better-sqlite3', 'sqlite'],
  ['cassandra-driver', undefined],
  ['duckdb', undefined],
  ['ioredis', 'redis'],
  ['kafkajs', undefined],
  ['mongodb', 'mongodb'],
  ['mysql', undefined],
  ['mysql2', 'mysql'],
  ['neo4j-driver', undefined],
  ['node:sqlite', 'sqlite'],
  ['oracledb', undefined],
  ['pg', 'postgresql'],
  ['postgres', undefined],
  ['redis', 'redis'],
  ['sqlite3', undefined],
  ['tedious', undefined],
]);
