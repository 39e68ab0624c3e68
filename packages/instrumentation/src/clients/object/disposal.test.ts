import { DatabaseSync } from 'node:sqlite';
import { runInThisContext } from 'node:vm';
import { MongoClient } from 'mongodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agent, boundary, mongodbClient, sqliteClient } from '../../index.ts';
import { RecordingHost } from '../../testdata/recording-host.ts';
import { recordAndReplay } from '../../testdata/replay-of.ts';

let host: RecordingHost;
beforeEach(() => {
  host = new RecordingHost();
});
afterEach(() => host.stop());

type Use = (held: object, work: () => unknown) => Promise<unknown>;

/** The language's own: a compiler would make calls of it, which take any function. Undefined where this Node.js has it not. */
function useOf(declaration: string): Use | undefined {
  try {
    return runInThisContext(`async (held, work) => { ${declaration} own = held; return await work(); }`) as Use;
  } catch {
    return undefined;
  }
}

const use = useOf('using');
const useAsync = useOf('await using');

class Ledger {
  isClosed = false;
  ask(): number {
    return 7;
  }
  [Symbol.dispose](): void {
    this.isClosed = true;
  }
}

describe.runIf(use !== undefined && useAsync !== undefined)('a wrapped client that `using` holds', () => {
  it('is disposed of when it is recorded, and left alone in a replay', async () => {
    const ledgers: Ledger[] = [];
    const run = agent('run', async () => {
      const ledger = new Ledger();
      ledgers.push(ledger);
      const client = boundary.client(ledger, { kind: 'database', name: 'ledger', methods: ['ask'] });
      return use?.(client, () => client.ask());
    });
    const { recorded, replayed } = await recordAndReplay(host, run);
    expect(recorded).toEqual({ value: 7 });
    expect(replayed).toEqual(recorded);
    expect(ledgers[0]?.isClosed).toBe(true);
  });

  it('is a database of node:sqlite', async () => {
    const run = agent('run', async () => {
      const database = new (sqliteClient(DatabaseSync))(':memory:');
      const read = await use?.(database, () => database.prepare('SELECT 7 AS seven').get()?.seven);
      return [read, database.isOpen];
    });
    const { recorded, replayed } = await recordAndReplay(host, run);
    expect(recorded).toEqual({ value: [7, false] });
    expect(replayed).toEqual(recorded);
  });

  it('is a client, a session and a cursor of mongodb', async () => {
    const run = agent('run', async () => {
      const client = mongodbClient(new MongoClient('mongodb://127.0.0.1:1'));
      const cursor = client.db('shop').collection('orders').find({});
      return useAsync?.(client, () => useAsync(client.startSession(), () => useAsync(cursor, () => 'used')));
    });
    const { recorded, replayed } = await recordAndReplay(host, run);
    expect(recorded).toEqual({ value: 'used' });
    expect(replayed).toEqual(recorded);
  });
});
