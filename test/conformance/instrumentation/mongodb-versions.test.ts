import { createRequire } from 'node:module';
import { mongodbClient } from '@reenact/instrumentation';
import type { MongoClient } from 'mongodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Peer } from './fidelity-library.ts';
import { startMongodbPeer } from './libraries/mongodb-peer.ts';
import { COMMITS } from './libraries/mongodb-transactions.ts';
import { recordThenReplay } from './record-then-replay.ts';

let peer: Peer;
beforeEach(async () => {
  peer = await startMongodbPeer();
});
afterEach(() => peer.stop());

const load = createRequire(import.meta.url);

interface Labelled {
  readonly errorLabels: readonly string[];
  hasErrorLabel(label: string): boolean;
}

async function transactions(Client: typeof MongoClient, address: string): Promise<unknown> {
  const client = new Client(`mongodb://${address}/?directConnection=true`);
  await client.connect();
  const orders = client.db('shop').collection<{ _id: number }>('orders');
  const session = client.startSession();
  const ran: string[] = [];
  const failed: unknown[] = [];
  for (const comment of Object.values(COMMITS)) {
    const run = session.withTransaction(async () => {
      ran.push(comment);
      await orders.insertOne({ _id: ran.length }, { session, comment });
    });
    await run.catch((error: Labelled) =>
      failed.push([error.errorLabels, error.hasErrorLabel('TransientTransactionError')]),
    );
  }
  session.startTransaction();
  await orders.insertOne({ _id: 9 }, { session, comment: 'fails' });
  await session.abortTransaction();
  const gone = await orders.findOne({}, { session }).catch((error: Labelled) => error.errorLabels);
  await client.close();
  return { ran, failed, gone };
}

describe.each([
  ['5.9', 'mongodb-5'],
  ['6.0', 'mongodb-6'],
  ['7', 'mongodb'],
])('the driver %s of mongodb', (_, name) => {
  it('runs transactions again in a replay as often as it did: errors keep their labels', async () => {
    const { MongoClient: Own } = load(name) as { MongoClient: typeof MongoClient };
    const Client = mongodbClient(Own);
    const both = await recordThenReplay(peer, ({ address }) => transactions(Client, address));
    expect(both.recorded).toMatchObject({
      ran: [COMMITS.again, COMMITS.again, COMMITS.unknown, COMMITS.refused],
      failed: [[[], false]],
    });
    expect(both.recording.crossings.flatMap(({ lossy }) => lossy ?? [])).toEqual([]);
    expect(both.report.value).toStrictEqual(both.recorded);
    expect([both.report.verdict, both.contactsInReplay]).toEqual(['reproduced', 0]);
  });
});
