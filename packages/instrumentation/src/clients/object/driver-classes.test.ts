import { createRequire } from 'node:module';
import { decodeValue, type EncodedValue, encodeValue } from '@reenact/trace-model';
import { Redis } from 'ioredis';
import {
  ListCollectionsCursor,
  ListIndexesCursor,
  Long,
  MongoBulkWriteError,
  MongoClient,
  MongoServerError,
  ObjectId,
} from 'mongodb';
import mysql from 'mysql2';
import promised from 'mysql2/promise';
import pg from 'pg';
import { createClient, ErrorReply, SimpleError } from 'redis';
import { describe, expect, it } from 'vitest';
import { ioredisClient, mongodbClient, mysql2Client, pgClient, redisClient } from '../../index.ts';
import { type DriverClasses, registerDriverClasses } from './driver-classes.ts';

const load = createRequire(import.meta.url);

type Class = new (...parameters: never[]) => object;

/** A value that went through a recording: what could not be kept of it, and what comes of it. */
function recorded(value: unknown): { readonly lossy: EncodedValue['lossy']; readonly again: unknown } {
  const { payload, lossy } = encodeValue(value);
  return { lossy, again: decodeValue(payload) };
}

/** An instance as the driver makes it, without what its constructor reads from a connection. */
function instanceOf(of: Class, fields: object): object {
  return Object.assign(Object.create(of.prototype as object) as object, fields);
}

function expectKept(value: object): void {
  const { lossy, again } = recorded(value);
  expect(lossy).toEqual([]);
  expect((again as object).constructor).toBe(value.constructor);
}

describe('the classes of a driver that nobody named', () => {
  it('are known of pg: errors, and intervals', () => {
    const failed = new pg.DatabaseError('no such table', 1, 'error');
    expect(recorded(failed).lossy).toEqual(['/ error-class DatabaseError']);
    pgClient(new pg.Pool());
    expectKept(failed);
    expectKept(pg.types.getTypeParser(1186)('1 day 02:00:00') as object);
  });

  it('are known of mysql2: what a statement that writes gives', () => {
    // Exported nowhere.
    const path = Object.keys(load.cache).find((name) => name.endsWith('resultset_header.js')) ?? '';
    const ResultSetHeader = load.cache[path]?.exports as Class;
    const header = instanceOf(ResultSetHeader, { affectedRows: 1, insertId: 7 });
    expect(recorded(header).lossy).toEqual(['/ class ResultSetHeader']);
    mysql2Client(promised);
    mysql2Client(mysql);
    expectKept(header);
  });

  it('are known of mongodb: BSON, errors, and the result of a bulk write with all its methods', () => {
    const { BulkWriteResult } = load('mongodb/lib/bulk/common') as { BulkWriteResult: Class };
    const raw = { ok: 1, nInserted: 2, upserted: [], insertedIds: [], writeErrors: [{ code: 11000 }] };
    const result = Reflect.construct(BulkWriteResult, [raw, false]) as object;
    mongodbClient(new MongoClient('mongodb://127.0.0.1:1'));
    for (const value of [new ObjectId(), Long.fromNumber(7), new MongoServerError({ message: 'no' })])
      expectKept(value);
    expectKept(new MongoBulkWriteError({ message: 'no', code: 1, writeErrors: [] }, result as never));
    expectKept(result);
    const { again } = recorded(result);
    expect(Object.keys(again as object)).toEqual(Object.keys(result));
    expect((again as { getWriteErrorCount(): number }).getWriteErrorCount()).toBe(1);
  });

  it('are known of redis and ioredis, each its own of one name', () => {
    redisClient(createClient());
    const plain = new Redis({ lazyConnect: true });
    ioredisClient(plain);
    expectKept(new ErrorReply('ERR no'));
    expectKept(new SimpleError('ERR no'));
    const { again } = recorded(new SimpleError('ERR no'));
    expect(again).toBeInstanceOf(ErrorReply);
    plain.disconnect();
  });
});

describe('the copy of a driver', () => {
  const classes = (name: string): DriverClasses => ({
    packageName: 'mongodb',
    exported: ['MongoClient'],
    values: { [name]: {} },
  });
  const lossyOf = (of: Class): EncodedValue['lossy'] => encodeValue(instanceOf(of, {})).lossy;

  it('is the one that the client is of: of another nothing is taken', () => {
    const OfAnother = { MongoClient: class MongoClient {} }.MongoClient;
    registerDriverClasses(new OfAnother(), classes('ListCollectionsCursor'));
    expect(lossyOf(ListCollectionsCursor)).toEqual(['/ class ListCollectionsCursor']);
    registerDriverClasses(new MongoClient('mongodb://127.0.0.1:1'), classes('ListCollectionsCursor'));
    expect(lossyOf(ListCollectionsCursor)).toEqual([]);
  });

  it('is found of a class of the application that extends it', () => {
    class OwnClient extends MongoClient {}
    expect(lossyOf(ListIndexesCursor)).toEqual(['/ class ListIndexesCursor']);
    registerDriverClasses(OwnClient, classes('ListIndexesCursor'));
    expect(lossyOf(ListIndexesCursor)).toEqual([]);
  });
});
