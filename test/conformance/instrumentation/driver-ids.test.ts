import { createRequire } from 'node:module';
import { mongodbClient, redisClient } from '@reenact/instrumentation';
import type { Document, MongoClient, MongoError, ObjectId } from 'mongodb';
import { createClient } from 'redis';
import { describe, expect, it } from 'vitest';
import type { Peer } from './fidelity-library.ts';
import { startMongodbPeer } from './libraries/mongodb-peer.ts';
import { recordThenReplay } from './record-then-replay.ts';

const load = createRequire(import.meta.url);

type IdClass = typeof ObjectId & { index: number; PROCESS_UNIQUE?: Uint8Array | null };

interface Driver {
  readonly MongoClient: typeof MongoClient;
  readonly ObjectId: IdClass;
}

/** As in a process of its own, as far as the class lets anybody. */
function beginAnew({ ObjectId: Ids }: Driver): void {
  Ids.index = Math.trunc(Ids.index / 2);
  if (Ids.PROCESS_UNIQUE) Ids.PROCESS_UNIQUE = Uint8Array.from(Ids.PROCESS_UNIQUE, (byte) => byte ^ 255);
}

/** Ids that the application makes, and that the driver gives to documents on their way. */
async function makeIds({ MongoClient: Own, ObjectId: Ids }: Driver, { address }: Peer): Promise<unknown> {
  const client = mongodbClient(new Own(`mongodb://${address}/?directConnection=true`));
  await client.connect();
  const orders = client.db('shop').collection<Document>('orders');
  const session = client.startSession();
  const own = new Ids();
  const named = { _id: own, shares: 1 };
  const [one, second, third, bulk, before, forced]: Document[] = Array.from({ length: 6 }, (_, shares) => ({ shares }));
  await orders.insertOne(named, { session });
  await orders.insertOne(one as Document);
  await orders.insertMany([second, third] as Document[]);
  await orders.bulkWrite([{ insertOne: { document: bulk as Document } }]);
  const taken = await orders.insertMany([before, { _id: own }] as Document[]).catch(({ code }: MongoError) => code);
  await orders.insertOne(forced as Document, { forceServerObjectId: true });
  await session.endSession();
  await client.close();
  const inserted = [one, second, third, bulk, before, forced];
  return { own, inserted, taken, session: session.id, after: new Ids() };
}

describe.each([
  ['5.9', 'mongodb-5'],
  ['6.0', 'mongodb-6'],
  ['7', 'mongodb'],
])('the driver %s of mongodb', (_, name) => {
  it('makes the ids again that it made, and gives them to the same documents, where random bytes are not recorded', async () => {
    const driver = load(name) as Driver;
    const peer = await startMongodbPeer();
    let runs = 0;
    const act = (peer: Peer): Promise<unknown> => {
      runs += 1;
      if (runs > 1) beginAnew(driver);
      return makeIds(driver, peer);
    };
    const { recorded, recording, report } = await recordThenReplay(peer, act, { recordsDraws: true });
    await peer.stop();
    const hasId = { _id: expect.any(driver.ObjectId) };
    expect(recorded).toMatchObject({ inserted: [hasId, hasId, hasId, hasId, hasId, { shares: 5 }], taken: 11_000 });
    expect(recording.crossings[0]?.lossy).toEqual([]);
    expect(report.divergences).toEqual([]);
    expect(report.value).toStrictEqual(recorded);
    expect([report.verdict, report.notes]).toEqual(['reproduced', []]);
    expect(runs).toBe(2);
  });
});

describe('a client of redis', () => {
  it('is recorded with the random bytes of its own id, which are no key', async () => {
    const peer: Peer = { address: '127.0.0.1:1', contacts: 0, stop: async () => undefined };
    const act = async (): Promise<unknown> => Reflect.get(redisClient(createClient()), '_clientId');
    const { recorded, recording, report } = await recordThenReplay(peer, act, { recordsDraws: true });
    expect(recorded).toMatch(/-[0-9a-f]{8}$/);
    expect(recording.crossings[0]?.lossy).toEqual([]);
    expect([report.value, report.divergences]).toEqual([recorded, []]);
  });
});
