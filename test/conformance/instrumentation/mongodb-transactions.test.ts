import { mongodbClient } from '@reenact/instrumentation';
import { type ClientSession, type Collection, type Document, MongoClient } from 'mongodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { errorFacts, thrownBy } from './error-facts.ts';
import type { Peer } from './fidelity-library.ts';
import { startMongodbPeer } from './libraries/mongodb-peer.ts';
import { COMMITS } from './libraries/mongodb-transactions.ts';
import { type BothRuns, crossingLine, recordThenReplay } from './record-then-replay.ts';

let peer: Peer;
let Client: typeof MongoClient;
beforeEach(async () => {
  peer = await startMongodbPeer();
  Client = mongodbClient(MongoClient);
});
afterEach(() => peer.stop());

interface Shop {
  readonly client: MongoClient;
  readonly orders: Collection<Document>;
}

type Act = (shop: Shop) => Promise<unknown>;

/** An act of an application that connects before it and closes after it. */
function inShop(act: Act): (peer: Peer) => Promise<unknown> {
  return async ({ address }) => {
    const client = new Client(`mongodb://${address}/?directConnection=true`);
    await client.connect();
    try {
      return await act({ client, orders: client.db('shop').collection<Document>('orders') });
    } finally {
      await client.close();
    }
  };
}

async function bothRuns(act: Act): Promise<BothRuns & { readonly crossings: readonly string[] }> {
  const both = await recordThenReplay(peer, inShop(act));
  const names = both.recording.crossings.map(crossingLine).map((line) => line.replace('database:mongodb.', ''));
  return { ...both, crossings: names.slice(2, -1).map((line) => line.replace(' 0', '')) };
}

function expectReproduced({ recorded, report, contactsInReplay }: BothRuns): void {
  expect(report.error).toBeUndefined();
  expect(report.value).toStrictEqual(recorded);
  expect(report.divergences).toEqual([]);
  expect([report.verdict, contactsInReplay]).toEqual(['reproduced', 0]);
}

const order = (session: ClientSession, comment?: string): [Document, Document] => [
  { _id: 1, shares: 7 },
  { session, ...(comment !== undefined && { comment }) },
];

async function refusedCommit({ client, orders }: Shop): Promise<unknown> {
  const session = client.startSession();
  session.startTransaction();
  const before = session.inTransaction();
  await orders.insertOne(...order(session, COMMITS.refused));
  const inside = await orders.findOne({ shares: 7 }, { session });
  const error = await session.commitTransaction().catch((thrown: unknown) => thrown);
  const after = session.inTransaction();
  await session.endSession();
  return { before, inside, after, ended: session.hasEnded, error: errorFacts(error), left: await orders.findOne({}) };
}

describe('a commit of mongodb', () => {
  it('that failed fails in a replay, too', async () => {
    const both = await bothRuns(refusedCommit);
    expect(both.recorded).toMatchObject({
      before: true,
      inside: { shares: 7 },
      after: false,
      ended: true,
      error: { name: 'MongoServerError', fields: { codeName: 'SnapshotUnavailable' } },
      left: null,
    });
    expect(both.crossings).toEqual([
      'insertOne returned',
      'findOne returned',
      'commitTransaction threw',
      'findOne returned',
    ]);
    expectReproduced(both);
  });

  it('that nobody asked for when it was recorded is refused', async () => {
    let runs = 0;
    const { report } = await bothRuns(async ({ client, orders }) => {
      const session = client.startSession();
      session.startTransaction();
      await orders.insertOne(...order(session));
      runs += 1;
      if (runs === 1) await session.abortTransaction();
      else await session.commitTransaction();
    });
    expect(report.divergences.map(({ kind }) => kind)).toContain('never-recorded');
    expect(report.verdict).toBe('diverged');
  });
});

describe('a transaction of mongodb', () => {
  it('runs the code of the application again as often as it ran, and commits as often', async () => {
    const both = await bothRuns(async ({ client, orders }) => {
      const session = client.startSession();
      const inserted: unknown[] = [];
      const insert = async (comment: string, given: ClientSession): Promise<string> => {
        inserted.push([comment, given.inTransaction(), (await orders.insertOne(...order(given, comment))).insertedId]);
        return `inserted: ${comment}`;
      };
      const again = await session.withTransaction((given) => insert(COMMITS.again, given));
      await orders.drop();
      const unknown = await session.withTransaction((given) => insert(COMMITS.unknown, given));
      await session.endSession();
      return { again, unknown, inserted, left: await orders.find().toArray() };
    });
    expect(both.recorded).toEqual({
      again: `inserted: ${COMMITS.again}`,
      unknown: `inserted: ${COMMITS.unknown}`,
      inserted: [COMMITS.again, COMMITS.again, COMMITS.unknown].map((comment) => [comment, true, 1]),
      left: [{ _id: 1, shares: 7 }],
    });
    expect(both.crossings).toEqual([
      'insertOne returned',
      'commitTransaction threw',
      'insertOne returned',
      'commitTransaction returned',
      'drop returned',
      'insertOne returned',
      'commitTransaction threw',
      'commitTransaction returned',
      'find returned',
    ]);
    expectReproduced(both);
  });
});

describe('the end of a transaction of mongodb', () => {
  it('is an abort where the code of the application throws, or leaves it open', async () => {
    const both = await bothRuns(async ({ client, orders }) => {
      const thrown = await thrownBy(() =>
        client.withSession((session) =>
          session.withTransaction(async () => {
            await orders.insertOne(...order(session));
            throw new RangeError('not enough shares');
          }),
        ),
      );
      await client.withSession(async (session) => {
        session.startTransaction();
        await orders.insertOne(...order(session));
      });
      return { thrown, left: await orders.find().toArray() };
    });
    expect(both.recorded).toMatchObject({ thrown: { message: 'not enough shares' }, left: [] });
    expect(both.crossings).toEqual([
      'insertOne returned',
      'abortTransaction returned',
      'insertOne returned',
      'abortTransaction returned',
      'find returned',
    ]);
    expectReproduced(both);
  });
});

describe('a session of mongodb', () => {
  it('says in a replay what it says at every step, and refuses what is out of turn', async () => {
    const both = await bothRuns(async ({ client, orders }) => {
      await using session = client.startSession();
      const notBegun = await thrownBy(() => session.commitTransaction());
      const manual = await session.withTransaction(async () => {
        await orders.insertOne(...order(session));
        await session.commitTransaction();
        return session.inTransaction();
      });
      const tooLate = await thrownBy(() => session.abortTransaction());
      await orders.findOne({}, { session });
      session.startTransaction();
      const begunTwice = await thrownBy(() => session.startTransaction());
      await session.abortTransaction();
      return { notBegun, manual, tooLate, begunTwice };
    });
    expect(both.recorded).toMatchObject({
      notBegun: { message: 'No transaction started' },
      manual: false,
      tooLate: { message: 'Cannot call abortTransaction after calling commitTransaction' },
      begunTwice: { message: 'Transaction already in progress' },
    });
    expectReproduced(both);
  });
});

describe('an operation of mongodb', () => {
  it('that was in a transaction and now is not has another input', async () => {
    let runs = 0;
    const { report } = await bothRuns(async ({ client, orders }) => {
      const session = client.startSession();
      runs += 1;
      await session.withTransaction(async () => {
        await orders.insertOne({ _id: 1 as never }, runs === 1 ? { session } : {});
      });
    });
    expect(report.divergences.map(({ kind, path }) => [kind, path])).toEqual([
      ['input-changed', 'agent:fidelity/database:mongodb.insertOne'],
    ]);
  });
});
