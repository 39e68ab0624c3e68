import { AggregationCursor, Collection, Db, FindCursor, Long, MongoClient, ObjectId } from 'mongodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agent, gate, mongodbClient } from '../../index.ts';
import { crossingOf } from '../../testdata/recorded-crossing.ts';
import { RecordingHost } from '../../testdata/recording-host.ts';
import { recordAndReplay } from '../../testdata/replay-of.ts';

const id = new ObjectId('64b7f0f0f0f0f0f0f0f0f0f0');
const documents = [{ _id: id, symbol: 'ACME', at: new Date(0), shares: Long.fromNumber(7) }];

// No server of mongodb runs here: the driver's own classes are used, and where they would ask a server they answer this.
const answers: readonly (readonly [object, string, (this: unknown, ...parameters: never[]) => unknown])[] = [
  [
    MongoClient.prototype,
    'connect',
    async function connect(this: unknown) {
      return this;
    },
  ],
  [MongoClient.prototype, 'close', async () => undefined],
  [Collection.prototype, 'insertOne', async () => ({ acknowledged: true, insertedId: id })],
  [
    Collection.prototype,
    'deleteMany',
    async () => {
      throw new RangeError('not primary');
    },
  ],
  [FindCursor.prototype, 'toArray', async () => documents],
  [AggregationCursor.prototype, 'toArray', async () => [{ total: 7 }]],
];

let host: RecordingHost;
let asked: string[];
let restore: (() => void)[];
beforeEach(() => {
  host = new RecordingHost();
  asked = [];
  restore = answers.map(([prototype, name, answer]) => {
    const own = Object.getOwnPropertyDescriptor(prototype, name);
    Object.defineProperty(prototype, name, {
      configurable: true,
      writable: true,
      value(this: unknown, ...parameters: never[]): unknown {
        asked.push(name);
        return Reflect.apply(answer, this, parameters);
      },
    });
    return () =>
      own === undefined ? Reflect.deleteProperty(prototype, name) : Object.defineProperty(prototype, name, own);
  });
});
afterEach(async () => {
  for (const undo of restore) undo();
  await host.stop();
});

async function work(): Promise<unknown> {
  const client = mongodbClient(new MongoClient('mongodb://127.0.0.1:1'));
  const isSame = (await client.connect()) === client;
  const orders = client.db('shop').collection('orders');
  const inserted = await orders.insertOne({ symbol: 'ACME' });
  const failed = await orders.deleteMany({}).catch(String);
  const found = await orders.find({ symbol: 'ACME' }).sort({ at: 1 }).sort({ at: -1 }).limit(5).toArray();
  const [sum] = await orders.aggregate([{ $group: { _id: null } }]).toArray();
  await orders.aggregate([{ $out: 'copy' }]).toArray();
  await client.close();
  return [isSame, inserted, failed, found, sum];
}

describe('what ids of one process have in common', () => {
  const ofProcess = (): unknown => Reflect.get(ObjectId, 'PROCESS_UNIQUE');

  it('is drawn when a client is wrapped, not by its connection, where no replay gets to', () => {
    expect(ofProcess()).toBeNull();
    mongodbClient(new MongoClient('mongodb://127.0.0.1:1'));
    const drawn = ofProcess();
    expect(drawn).toHaveLength(5);
    mongodbClient(new MongoClient('mongodb://127.0.0.1:1'));
    expect(ofProcess()).toBe(drawn);
  });
});

describe('mongodb', () => {
  it('is recorded and replayed without asking the driver for anything a server would answer', async () => {
    const { recorded, replayed, player } = await recordAndReplay(host, agent('run', work), {
      between: () => asked.splice(0),
    });
    expect(recorded).toEqual({
      value: [true, { acknowledged: true, insertedId: id }, 'RangeError: not primary', documents, { total: 7 }],
    });
    expect(replayed).toEqual(recorded);
    const [, , , found] = (replayed as { value: [unknown, unknown, unknown, typeof documents] }).value;
    expect([found[0]?._id instanceof ObjectId, found[0]?._id.toHexString(), found[0]?.shares.toNumber()]).toEqual([
      true,
      id.toHexString(),
      7,
    ]);
    expect([asked, player.refusals]).toEqual([[], []]);
  });

  it('names operations, effects and where they go, the last of a setting counting', async () => {
    await work();
    const spans = await host.recorded();
    const crossings = spans.map(crossingOf);
    expect(crossings.map(({ name, effect }) => [name, effect])).toEqual([
      ['mongodb.connect', 'read'],
      ['mongodb.insertOne', 'write'],
      ['mongodb.deleteMany', 'write'],
      ['mongodb.find', 'read'],
      ['mongodb.aggregate', 'read'],
      ['mongodb.aggregate', 'write'],
      ['mongodb.close', 'none'],
    ]);
    expect(spans[3]).toMatchObject({
      name: 'find orders',
      attributes: { 'db.namespace': 'shop', 'db.collection.name': 'orders' },
    });
    expect(JSON.parse(crossings[3]?.input?.data ?? '')).toEqual({
      steps: [
        ['db', ['shop']],
        ['collection', ['orders']],
        ['find', [{ symbol: 'ACME' }]],
        ['sort', [{ at: -1 }]],
        ['limit', [5]],
      ],
      method: 'toArray',
      arguments: [],
    });
    expect(crossings.flatMap(({ lossy }) => lossy)).toEqual([]);
  });

  it('keeps the driver classes: what it gives is what the driver gives', () => {
    gate.disable();
    const client = mongodbClient(new MongoClient('mongodb://127.0.0.1:1'));
    const orders = client.db('shop').collection('orders');
    gate.enable();
    expect(client).toBeInstanceOf(MongoClient);
    expect(client.db('shop')).toBeInstanceOf(Db);
    expect(orders).toBeInstanceOf(Collection);
    expect([orders.collectionName, orders.find()[Symbol.asyncIterator] !== undefined]).toEqual(['orders', true]);
  });
});

describe('the connection of mongodb', () => {
  it('is said in a replay to be there once it was answered, as mongoose wants to know', async () => {
    const run = agent('run', async () => {
      const client = mongodbClient(new MongoClient('mongodb://127.0.0.1:1'));
      const topology = (): unknown => Reflect.get(client, 'topology');
      const before = topology();
      await client.connect();
      const connected = topology();
      await client.close();
      return [before, typeof connected, topology()];
    });
    const { replayed } = await recordAndReplay(host, run);
    expect(replayed).toEqual({ value: [undefined, 'object', undefined] });
  });
});

describe('a session of mongodb', () => {
  it('is recorded as what it means for a call: it holds the client and what it connects with', async () => {
    const driver = new MongoClient('mongodb://127.0.0.1:1');
    const orders = mongodbClient(driver).db('shop').collection('orders');
    const session = driver.startSession();
    await orders.insertOne({ symbol: 'ACME' }, { session, comment: 'mine' });
    await orders.insertOne({ session: 'a field of a document' });
    await orders.find({}, { session }).toArray();
    const inputs = (await host.recorded()).map((span) => JSON.parse(crossingOf(span).input?.data ?? ''));
    expect(inputs.map(({ arguments: given }) => given)).toEqual([
      [{ symbol: 'ACME' }, { session: 'without a transaction', comment: 'mine' }],
      [{ session: 'a field of a document' }],
      [],
    ]);
    expect(inputs[2].steps.at(-1)).toEqual(['find', [{}, { session: 'without a transaction' }]]);
  });
});
