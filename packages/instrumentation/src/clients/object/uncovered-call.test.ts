import { DatabaseSync } from 'node:sqlite';
import { MongoClient } from 'mongodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agent, boundary, mongodbClient, sqliteClient, tool } from '../../index.ts';
import { crossingOf } from '../../testdata/recorded-crossing.ts';
import { RecordingHost } from '../../testdata/recording-host.ts';

let host: RecordingHost;
beforeEach(() => {
  host = new RecordingHost();
});
afterEach(() => host.stop());

async function marksOf(run: () => unknown): Promise<readonly string[]> {
  await agent('run', async () => void (await run()))();
  const crossings = (await host.recorded()).map(crossingOf);
  return crossings.find(({ name }) => name === 'run')?.lossy ?? [];
}

/** Connects to nothing: making it and asking for what it holds does not. */
const mongo = (): MongoClient => mongodbClient(new MongoClient('mongodb://127.0.0.1:1/'));

const administered = (): unknown => mongo().db('shop').admin();

function changed(): unknown {
  const database = new (sqliteClient(DatabaseSync))(':memory:');
  return database.createSession();
}

describe('a method that the wrapper of a driver leaves out', () => {
  it.each([
    ['an object of the driver', administered, 'call mongodb.admin'],
    ['an object of a native class', changed, 'call sqlite.createSession'],
  ])('marks the agent that calls it, where it gives %s', async (_, run, place) => {
    expect(await marksOf(run)).toEqual([`/connections/${place}`]);
  });

  it('marks nobody where a tool is around it, or where it gives what is no way to the server', async () => {
    expect(await marksOf(() => tool('look', async () => void administered())())).toEqual([]);
    expect(await marksOf(() => mongo().listenerCount('close'))).toEqual([]);
    expect(await marksOf(() => mongo().eventNames())).toEqual([]);
  });

  it('marks nobody of a client that the application described itself', async () => {
    const index = boundary.client(new MongoClient('mongodb://127.0.0.1:1/'), {
      kind: 'database',
      methods: ['connect'],
    });
    expect(await marksOf(() => index.db('shop').admin())).toEqual([]);
  });
});
