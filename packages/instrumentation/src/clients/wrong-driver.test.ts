import { DatabaseSync } from 'node:sqlite';
import Database from 'better-sqlite3';
import { Cluster, Redis } from 'ioredis';
import { createClient, createClientPool, createCluster } from 'redis';
import { describe, expect, it } from 'vitest';
import { betterSqlite3Client, ioredisClient, redisClient, sqliteClient } from '../index.ts';

const cluster = { rootNodes: [{ url: 'redis://127.0.0.1:1' }] };

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
