import { once } from 'node:events';
import { createRequire } from 'node:module';
import type { Readable } from 'node:stream';
import { mongodbClient } from '@reenact/instrumentation';
import type { Collection, MongoClient } from 'mongodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Peer } from './fidelity-library.ts';
import { startMongodbPeer } from './libraries/mongodb-peer.ts';
import { recordThenReplay } from './record-then-replay.ts';

let peer: Peer;
beforeEach(async () => {
  peer = await startMongodbPeer();
});
afterEach(() => peer.stop());

const load = createRequire(import.meta.url);

type Orders = Collection<{ _id: number }>;

/** What a cursor knows by the answers to it. */
async function states(orders: Orders): Promise<unknown> {
  const cursor = orders.find({}, { batchSize: 2 });
  const seen: unknown[] = [cursor.closed, cursor.killed, cursor.bufferedCount()];
  seen.push(await cursor.hasNext(), cursor.bufferedCount(), cursor.readBufferedDocuments(1), cursor.bufferedCount());
  seen.push(String(cursor.id), await cursor.next(), cursor.closed);
  await cursor.close();
  return [...seen, cursor.closed, cursor.killed];
}

/** Methods whose own code runs again. */
async function composed(orders: Orders): Promise<unknown> {
  const each: unknown[] = [];
  await orders.find({}, { batchSize: 2 }).forEach((order) => {
    each.push(order._id);
  });
  const streamed: unknown[] = [];
  const cursor = orders.find({}, { batchSize: 2 });
  for await (const order of cursor.stream()) streamed.push(order);
  for await (const order of cursor.stream()) streamed.push(order);
  return [each, streamed];
}

/** What version 7 does not take any more. */
function transformedBy(orders: Orders, transform: (order: { _id: number }) => unknown): Readable {
  const cursor = orders.find({}, { batchSize: 2 }) as unknown as { stream(options: object): Readable };
  return cursor.stream({ transform });
}

async function transformed(orders: Orders): Promise<unknown> {
  const seen: unknown[] = [];
  for await (const order of transformedBy(orders, ({ _id }) => _id * 10)) seen.push(order);
  const refusing = transformedBy(orders, () => JSON.parse('{'));
  return [seen, await refusing.toArray().catch(({ name }: Error) => name)];
}

/** Streams of which somebody closes the cursor, or which end early, with more to come at the server and without. */
async function closedMeanwhile(orders: Orders): Promise<unknown> {
  const seen: unknown[] = [];
  for (const batchSize of [1, 10]) {
    const cursor = orders.find({}, { batchSize });
    for await (const order of cursor.stream()) {
      seen.push(order._id);
      if (order._id === 1) await cursor.close();
    }
    const ended = orders.find({}, { batchSize }).stream();
    ended.on('data', (order: { _id: number }) => {
      seen.push(order._id);
      ended.destroy();
    });
    ended.on('end', () => seen.push('end'));
    await once(ended, 'close');
  }
  return seen;
}

function acting(Client: typeof MongoClient, act: (orders: Orders) => Promise<unknown>) {
  return async ({ address }: Peer): Promise<unknown> => {
    const client = new Client(`mongodb://${address}/?directConnection=true`);
    await client.connect();
    const orders: Orders = client.db('shop').collection<{ _id: number }>('orders');
    await orders.drop();
    await orders.insertMany([{ _id: 1 }, { _id: 2 }, { _id: 3 }]);
    const result = await act(orders);
    await client.close();
    return result;
  };
}

describe.each([
  ['5.9', 'mongodb-5'],
  ['6.0', 'mongodb-6'],
  ['7', 'mongodb'],
])('a cursor of mongodb %s', (_, name) => {
  it('says in a replay what it knew of the answers to it', async () => {
    const { MongoClient: Own } = load(name) as { MongoClient: typeof MongoClient };
    const both = await recordThenReplay(peer, acting(mongodbClient(Own), states));
    expect(both.recorded).toEqual([
      ...[false, false, 0, true, 2, [{ _id: 1 }], 1],
      ...['1', { _id: 2 }, false, true, true],
    ]);
    expect(both.report.value).toStrictEqual(both.recorded);
    expect([both.report.verdict, both.contactsInReplay]).toEqual(['reproduced', 0]);
  });

  it('ends its streams in a replay where they ended as it was closed meanwhile', async () => {
    const { MongoClient: Own } = load(name) as { MongoClient: typeof MongoClient };
    const bare = await acting(Own, closedMeanwhile)(peer);
    const both = await recordThenReplay(peer, acting(mongodbClient(Own), closedMeanwhile));
    expect(both.recorded).toEqual(bare);
    expect(both.report.value).toStrictEqual(both.recorded);
    expect([both.report.verdict, both.contactsInReplay]).toEqual(['reproduced', 0]);
  });

  it('runs the code of its streams again in a replay, and has no crossing for what that reads of its state', async () => {
    const { MongoClient: Own } = load(name) as { MongoClient: typeof MongoClient };
    const both = await recordThenReplay(peer, acting(mongodbClient(Own), composed));
    expect(both.recorded).toEqual([
      [1, 2, 3],
      [{ _id: 1 }, { _id: 2 }, { _id: 3 }],
    ]);
    expect(both.report.value).toStrictEqual(both.recorded);
    expect([both.report.verdict, both.contactsInReplay]).toEqual(['reproduced', 0]);
    const names = both.recording.crossings.map((crossing) => crossing.name);
    expect(
      names.filter((crossing) => /cursor|buffered/i.test(crossing)).filter((one) => !/closeCursor/.test(one)),
    ).toEqual([]);
  });
});

describe.each([
  ['5.9', 'mongodb-5'],
  ['6.0', 'mongodb-6'],
])('a stream of a cursor of mongodb %s', (_, name) => {
  it('hands on what the transformation makes of the documents in a replay, too, and what it throws', async () => {
    const { MongoClient: Own } = load(name) as { MongoClient: typeof MongoClient };
    const both = await recordThenReplay(peer, acting(mongodbClient(Own), transformed));
    expect(both.recorded).toEqual([[10, 20, 30], 'SyntaxError']);
    expect(both.report.value).toStrictEqual(both.recorded);
    expect([both.report.verdict, both.contactsInReplay]).toEqual(['reproduced', 0]);
  });
});
