import { mongodbClient, tool } from '@reenact/instrumentation';
import * as mongodb from 'mongodb';
import { type Collection, type Document, Long, MongoClient, type MongoClientOptions, ObjectId } from 'mongodb';
import { thrownBy } from '../error-facts.ts';
import type { FidelityAct, FidelityLibrary, Peer } from '../fidelity-library.ts';
import { MOODS } from '../peers/moody-proxy.ts';
import { startMongodbPeer } from './mongodb-peer.ts';
import { FORGOTTEN, TURNED_AWAY } from './mongodb-store.ts';
import { wrappedByApplication } from './wrapped-by-application.ts';

/** What the application connects with: behind the gate while it is instrumented. */
let ClientClass: typeof MongoClient = MongoClient;

const id = new ObjectId('64b7f0f0f0f0f0f0f0f0f0f0');
const orders: readonly Document[] = [
  { _id: id, symbol: 'ACME', at: new Date(0), shares: Long.fromNumber(7) },
  { _id: 2, symbol: 'INIT', tags: ['a', null] },
  { _id: 3, symbol: 'ZERO', nested: { price: 1.5 } },
];

const symbols = orders.map(({ symbol }) => symbol as unknown);

async function connected({ address }: Peer, options: MongoClientOptions = {}): Promise<MongoClient> {
  const client = new ClientClass(`mongodb://${address}/?directConnection=true`, { ...options, promoteLongs: false });
  await client.connect();
  return client;
}

/** Runs an act over a connection of its own and some orders. */
function withOrders(act: (collection: Collection<Document>) => Promise<unknown>): FidelityAct['run'] {
  return async (peer) => {
    const client = await connected(peer);
    const collection = client.db('shop').collection<Document>('orders');
    await collection.drop();
    await collection.insertMany(orders.map((order) => ({ ...order })));
    try {
      return await act(collection);
    } finally {
      await client.close();
    }
  };
}

const crossing = (name: string, outcome = 'returned'): string => `database:mongodb.${name} ${outcome} 0`;

/** Crossings of `withOrders` around those of its act. */
function around(...crossings: readonly string[]): string[] {
  return [crossing('connect'), crossing('drop'), crossing('insertMany'), ...crossings, crossing('close')];
}

const call: FidelityAct = {
  run: withOrders(async (collection) => ({
    found: await collection.findOne({ symbol: 'ACME' }),
    none: await collection.findOne({ symbol: 'NONE' }),
    updated: await collection.updateOne({ _id: 2 as never }, { $set: { symbol: 'NEXT' } }),
    duplicate: await thrownBy(() => collection.insertOne({ _id: id })),
    unknown: await thrownBy(() => collection.distinct('symbol')),
  })),
  shows: {
    found: { _id: id, at: new Date(0), shares: Long.fromNumber(7) },
    none: null,
    updated: { acknowledged: true, matchedCount: 1, modifiedCount: 1 },
    duplicate: { class: mongodb.MongoServerError, message: /^E11000/, fields: { code: 11_000 } },
    unknown: { class: mongodb.MongoServerError, fields: { code: 59, codeName: 'CommandNotFound' } },
  },
  crossings: around(
    crossing('findOne'),
    crossing('findOne'),
    crossing('updateOne'),
    crossing('insertOne', 'threw'),
    crossing('distinct', 'threw'),
  ),
};

const stream: FidelityAct = {
  run: withOrders(async (collection) => {
    const seen: unknown[] = [];
    for await (const order of collection.find().batchSize(2)) seen.push(order);
    for await (const { symbol } of collection.find().batchSize(2).stream()) seen.push(symbol);
    await collection
      .find()
      .clone()
      .forEach(({ symbol }) => void seen.push(symbol));
    return seen;
  }),
  shows: [...orders, ...symbols, ...symbols],
  // A stream asks for one document after the other, until there is none.
  crossings: around(
    crossing('find', 'ended'),
    ...Array.from({ length: orders.length + 1 }, () => crossing('find')),
    crossing('find', 'ended'),
  ),
};

const abort: FidelityAct = {
  run: withOrders(async (collection) => {
    const seen: unknown[] = [];
    for await (const order of collection.find().batchSize(1)) {
      seen.push(order.symbol);
      if (seen.length === 2) break;
    }
    return seen;
  }),
  shows: ['ACME', 'INIT'],
  crossings: around(crossing('find', 'aborted')),
};

const midStreamError: FidelityAct = {
  run: withOrders(async (collection) => {
    const seen: unknown[] = [];
    const error = await thrownBy(async () => {
      for await (const order of collection.find().comment(FORGOTTEN).batchSize(2)) seen.push(order.symbol);
    });
    return { seen, error };
  }),
  shows: { seen: ['ACME', 'INIT'], error: { class: mongodb.MongoServerError, fields: { codeName: 'CursorNotFound' } } },
  crossings: around(crossing('find', 'failed')),
};

const retry: FidelityAct = {
  run: withOrders((collection) => collection.findOne({ symbol: 'ZERO' }, { comment: TURNED_AWAY })),
  shows: { _id: 3, symbol: 'ZERO' },
  crossings: around(crossing('findOne')),
};

const timeout: FidelityAct = {
  run: async (peer) => {
    const client = await connected(peer, { socketTimeoutMS: 60, retryReads: false });
    const collection = client.db('shop').collection('orders');
    const late = await thrownBy(() => collection.findOne({}, { comment: MOODS.hangs }));
    await client.close();
    return late;
  },
  shows: { class: mongodb.MongoNetworkTimeoutError },
  crossings: [crossing('connect'), crossing('findOne', 'threw'), crossing('close')],
};

const names = ['first', 'second', 'third'] as const;

const reverseParallel: FidelityAct = {
  run: async (peer) => {
    const finished: unknown[] = [];
    const clients: MongoClient[] = [];
    for (const _ of names) {
      const client = await connected(peer);
      await client.db('shop').collection('orders').findOne({});
      clients.push(client);
    }
    const ask = async (name: string, index: number): Promise<unknown> => {
      const collection = clients[index]?.db('shop').collection('orders');
      const found = await collection?.find({ name }, { comment: MOODS.holdsBack }).toArray();
      finished.push(name);
      await clients[index]?.close();
      return found;
    };
    return { answers: await Promise.all(names.map(ask)), finished };
  },
  shows: { answers: [[], [], []], finished: [...names].reverse() },
  crossings: [
    ...names.flatMap(() => [crossing('connect'), crossing('findOne')]),
    ...['find', 'close'].flatMap((name) => names.map(() => crossing(name))),
  ],
};

const nestedTools: FidelityAct = {
  run: withOrders((collection) => {
    const count = (symbol: string): Promise<number> => collection.countDocuments({ symbol });
    const inner = tool('inner', count);
    const outer = tool('outer', async (symbol: string) => (await inner(symbol)) + (await count(symbol)));
    return outer('ACME');
  }),
  shows: 6,
  crossings: around(
    'tool:outer returned 0',
    'tool:inner returned 0',
    crossing('countDocuments'),
    crossing('countDocuments'),
  ),
};

async function symbolsOf(cursor: AsyncIterable<Document>): Promise<unknown[]> {
  const seen: unknown[] = [];
  for await (const order of cursor) seen.push(order.symbol);
  return seen;
}

const doubleIteration: FidelityAct = {
  run: withOrders(async (collection) => {
    const cursor = collection.find().sort({ _id: -1 });
    const first = await symbolsOf(cursor);
    return { first, again: await symbolsOf(cursor) };
  }),
  shows: { first: ['ZERO', 'INIT', 'ACME'], again: [] },
  crossings: around(crossing('find', 'ended'), crossing('find', 'ended')),
};

const helpers: FidelityAct = {
  run: withOrders(async (collection) => {
    const cursor = collection.find({ symbol: 'INIT' }).limit(5);
    const byHand = [await cursor.hasNext(), await cursor.next(), await cursor.next()];
    const listed = await collection.find().sort({ _id: -1 }).limit(2).toArray();
    const [sum] = await collection.aggregate([{ $count: 'n' }]).toArray();
    const many = await collection.insertMany([{ _id: 4 as never }, { _id: 5 as never }]);
    return { byHand, listed, sum, many };
  }),
  shows: {
    byHand: [true, orders[1], null],
    listed: [{ _id: 3 }, { _id: 2 }],
    sum: { n: 3 },
    many: { insertedCount: 2, insertedIds: { 0: 4, 1: 5 } },
  },
  crossings: around(...['find', 'find', 'find', 'find', 'aggregate', 'insertMany'].map((name) => crossing(name))),
};

function isErrorClass(value: unknown): value is new () => Error {
  return typeof value === 'function' && value.prototype instanceof Error;
}

/** `mongodb` behind `mongodbClient`. */
export const mongodbFidelity: FidelityLibrary = {
  name: '`mongodb` (`mongodbClient`), answered by a server of ours',
  start: startMongodbPeer,
  patch: () => {
    const errors = (Object.values(mongodb) as unknown[]).filter(isErrorClass);
    ClientClass = mongodbClient(MongoClient, { errors, values: [ObjectId, Long] });
    return () => {
      ClientClass = MongoClient;
    };
  },
  ...wrappedByApplication,
  cases: {
    call,
    stream,
    abort,
    'mid-stream error': midStreamError,
    '429 then success': retry,
    timeout,
    'reverse parallel': reverseParallel,
    'nested tools': nestedTools,
    'double iteration': doubleIteration,
    tee: { why: 'Documents come by a cursor, which cannot be split.' },
    helpers,
  },
};
