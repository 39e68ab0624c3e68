import { DatabaseSync } from 'node:sqlite';
import Database from 'better-sqlite3';
import { Cluster, Redis } from 'ioredis';
import { createClient, createClientPool, createCluster } from 'redis';
import { describe, expect, it } from 'vitest';
import { betterSqlite3Client, ioredisClient, redisClient, sqliteClient } from '../index.ts';

const cluster = { rootNodes: [{ url: 'redis://127.0.0.1:1' }] };

/** As applications have it that came from the other driver, or have code for both. */
class Ledger extends DatabaseSync {
  pragma(text: string): unknown {
    return this.prepare(`PRAGMA ${text}`).get();
  }

  transaction(act: () => void): () => void {
    return act;
  }
}

class Cache extends Redis {
  GET = this.get;
  hGetAll = this.hgetall;
}

describe('a wrapper that is given a client of its driver', () => {
  it.each([
    ['a class', () => sqliteClient(Ledger)],
    ['a database', () => sqliteClient(new Ledger(':memory:'))],
    ['a connection', () => ioredisClient(new Cache({ lazyConnect: true }))],
  ])('takes %s that has members of the other as well', (_, wrap) => {
    expect(wrap).not.toThrow();
  });
});

describe('a wrapper that is given a client of the driver that is called alike', () => {
  it.each([
    ['betterSqlite3Client', 'better-sqlite3', () => sqliteClient(Database)],
    ['betterSqlite3Client', 'better-sqlite3', () => sqliteClient(new Database(':memory:'))],
    ['sqliteClient', 'node:sqlite', () => betterSqlite3Client(DatabaseSync)],
    ['sqliteClient', 'node:sqlite', () => betterSqlite3Client(new DatabaseSync(':memory:'))],
    ['ioredisClient', 'ioredis', () => redisClient(Redis)],
    ['ioredisClient', 'ioredis', () => redisClient(Cluster)],
    ['redisClient', 'redis', () => ioredisClient(createClient())],
    ['redisClient', 'redis', () => ioredisClient(createClientPool())],
    ['redisClient', 'redis', () => ioredisClient(createCluster(cluster))],
  ])('says to use %s for %s', (wrapper, name, wrap) => {
    expect(wrap).toThrow(
      expect.objectContaining({
        code: 'bad-argument',
        message: `This is a client of ${name}.`,
        next: `Wrap it by ${wrapper}.`,
      }),
    );
  });
});
