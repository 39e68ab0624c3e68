import { decodeValue, encodeValue, servedClasses } from '@reenact/trace-model';
import cassandra from 'cassandra-driver';
import { Redis } from 'ioredis';
import { Binary, MongoServerError, ObjectId } from 'mongodb';
import neo4j from 'neo4j-driver';
import pg from 'pg';
import { ErrorReply } from 'redis';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agent, tool } from '../index.ts';
import { crossingOf } from '../testdata/recorded-crossing.ts';
import { RecordingHost } from '../testdata/recording-host.ts';
import { recordAndReplay } from '../testdata/replay-of.ts';

let host: RecordingHost;
beforeEach(() => {
  host = new RecordingHost();
});
afterEach(() => host.stop());

async function marks(): Promise<readonly string[]> {
  return (await host.recorded()).map(crossingOf).flatMap(({ lossy }) => lossy);
}

describe('what a tool gives that asks a database with a client that nobody wrapped', () => {
  it('comes back as what the driver gave', async () => {
    const id = new ObjectId();
    const order = { _id: id, paid: new Binary(Buffer.from('x')), interval: pg.types.getTypeParser(1186)('1 day') };
    const look = tool('look', async () => order);
    const run = agent('run', async () => {
      const found = await look();
      return [found._id.toHexString(), found._id.equals(id), found.paid instanceof Binary, found.interval];
    });
    const { recorded, replayed } = await recordAndReplay(host, run);
    expect(recorded).toEqual({ value: [id.toHexString(), true, true, order.interval] });
    expect(replayed).toStrictEqual(recorded);
    expect(await marks()).toEqual([]);
  });

  it('throws errors that are of the driver, with what they keep under symbols', async () => {
    const errors = [
      new MongoServerError({ message: 'busy', code: 112, errorLabels: ['TransientTransactionError'] }),
      new pg.DatabaseError('no such table', 1, 'error'),
      new ErrorReply('ERR no'),
      Reflect.construct(Reflect.get(Redis, 'ReplyError') as new (message: string) => Error, ['ERR no']) as Error,
    ];
    const fail = tool('fail', async (number: number) => {
      throw errors[number];
    });
    const run = agent('run', async () => {
      const caught = await Promise.all(errors.map((_, number) => fail(number).catch((error: unknown) => error)));
      const isBusy = (caught[0] as MongoServerError).hasErrorLabel('TransientTransactionError');
      return [isBusy, ...caught.map((error, number) => error instanceof (errors[number] as Error).constructor)];
    });
    const { recorded, replayed } = await recordAndReplay(host, run);
    expect(recorded).toEqual({ value: [true, true, true, true, true] });
    expect(replayed).toEqual(recorded);
    expect(await marks()).toEqual([]);
  });
});

describe('what drivers give that have no wrapper', () => {
  it('comes back as it was: records, nodes and large numbers of Neo4j, and its errors', () => {
    const node = new neo4j.types.Node(neo4j.int(7), ['Person'], { age: neo4j.int(36) }, '7');
    const { SERVICE_UNAVAILABLE } = neo4j.error;
    const values = [
      new neo4j.types.Record(['n', 'born'], [node, new neo4j.types.Date(1815, 12, 10)]),
      new neo4j.Neo4jError('gone', SERVICE_UNAVAILABLE, '50N42', 'gone'),
    ] as const;
    const { payload, lossy } = encodeValue(values);
    expect(lossy).toEqual([]);
    const [record, error] = decodeValue(payload) as typeof values;
    expect(record).toStrictEqual(values[0]);
    expect([record.get('n'), neo4j.isInt(record.get('n').identity), String(record.get('born'))]).toEqual([
      node,
      true,
      '1815-12-10',
    ]);
    expect([error instanceof neo4j.Neo4jError, error.retriable, Object.keys(error)]).toEqual([
      true,
      true,
      Object.keys(values[1]),
    ]);
    expect(error.constructor).toBe(values[1].constructor);
  });

  it('comes back as it was: rows and ids of Cassandra, and its errors', () => {
    const { types, errors } = cassandra;
    const row = Object.assign(
      new (Reflect.get(types, 'Row') as new (columns: object[]) => { get(column: string): unknown })([
        { name: 'id' },
        { name: 'day' },
      ]),
      {
        id: types.Uuid.fromString('01234567-89ab-cdef-0123-456789abcdef'),
        day: types.LocalDate.fromString('1815-12-10'),
      },
    );
    const failed = new errors.ResponseError(0x2200, 'no such table');
    const { payload, lossy } = encodeValue([row, failed]);
    expect(lossy).toEqual([]);
    const [again, error] = decodeValue(payload) as [typeof row, typeof failed];
    expect([again.id.equals(row.id), String(again.day), again.get('day')]).toEqual([true, '1815-12-10', row.day]);
    expect([error instanceof errors.ResponseError, error.code, error.info]).toEqual([true, 0x2200, failed.info]);
  });
});

describe('a class that only has the name of a driver class', () => {
  it('is no class of the driver, and said to be unknown', () => {
    const { ObjectId: Own, MongoServerError: OwnError } = {
      ObjectId: class ObjectId {
        readonly id = 7;
      },
      MongoServerError: class MongoServerError extends Error {},
    };
    const { payload, lossy } = encodeValue([new Own(), new OwnError('own')]);
    expect(lossy).toEqual(['/0 class ObjectId', '/1 error-class MongoServerError']);
    const [value, error] = decodeValue(payload) as [object, Error];
    expect([value.constructor, error instanceof MongoServerError]).toEqual([Object, false]);
  });

  it('is absent where nothing that is loaded has it', () => {
    const { payload } = encodeValue({ id: new ObjectId(), error: new MongoServerError({ message: 'no' }) });
    expect([...servedClasses(payload).absent]).toEqual([]);
    const data = (payload.data ?? '').replaceAll('ObjectId', 'NeverLoaded').replaceAll('"mongodb"', '"never-loaded"');
    expect([...servedClasses({ ...payload, data }).absent]).toEqual(['NeverLoaded', 'MongoServerError']);
  });
});
