import { MongoClient } from 'mongodb';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agent, boundary, mongodbClient, pgClient } from '../../index.ts';
import { RecordingHost } from '../../testdata/recording-host.ts';
import { recordAndReplay } from '../../testdata/replay-of.ts';

let host: RecordingHost;
let opened: number;
beforeEach(() => {
  host = new RecordingHost();
  opened = 0;
});
afterEach(() => host.stop());

class Shelf {
  readonly label = 'a shelf';
  note: string | undefined;

  constructor() {
    opened += 1;
  }

  find(name: string): string {
    return `book ${name}`;
  }
}

const definition = { kind: 'database', name: 'shelf', methods: ['find'] } as const;

describe('a class of clients in a replay', () => {
  it('constructs nothing, and keeps what the host notes on the client', async () => {
    const OwnShelf = boundary.client(Shelf, definition);
    const run = agent('run', () => {
      const shelf = new OwnShelf();
      shelf.note = 'mine';
      return [shelf.find('one'), shelf.note];
    });
    const { recorded, replayed } = await recordAndReplay(host, run);
    expect([recorded, replayed, opened]).toEqual([{ value: ['book one', 'mine'] }, recorded, 1]);
  });

  it('tells the replay of a member that it refuses, whatever the application makes of that', async () => {
    const OwnShelf = boundary.client(Shelf, definition);
    const run = agent('run', () => {
      const shelf = new OwnShelf();
      try {
        return [shelf.find('one'), shelf.label.length > 0];
      } catch {
        return ['book one', true];
      }
    });
    const { recorded, replayed, player } = await recordAndReplay(host, run);
    expect(replayed).toEqual(recorded);
    expect(player.refusals.join()).toContain('shelf.label');
  });

  it('is constructed where that does nothing, so that its members are there', async () => {
    const OwnShelf = boundary.client(Shelf, { ...definition, isInert: true });
    const run = agent('run', () => {
      const shelf = new OwnShelf();
      return [shelf.find('one'), shelf.label];
    });
    const { recorded, replayed } = await recordAndReplay(host, run);
    expect([recorded, replayed, opened]).toEqual([{ value: ['book one', 'a shelf'] }, recorded, 2]);
  });

  it('has the members of the drivers that connect only when they are told to', async () => {
    const run = agent('run', () => {
      const pool = new (pgClient(pg.Pool))({ host: 'db.example.com', max: 7 });
      const client = new (pgClient(pg.Client))({ host: 'db.example.com' });
      const mongo = new (mongodbClient(MongoClient))('mongodb://db.example.com/shop');
      return [pool.options.max, pool.totalCount, client.host, String(mongo.options.hosts[0]), mongo.options.dbName];
    });
    const { recorded, replayed } = await recordAndReplay(host, run);
    expect(recorded).toEqual({ value: [7, 0, 'db.example.com', 'db.example.com:27017', 'shop'] });
    expect(replayed).toEqual(recorded);
  });
});

describe('a connection of a pool of pg in a replay', () => {
  it('is a client of pg that is not connected, with whatever the host notes on it', async () => {
    class Pool extends pg.Pool {
      override connect(): Promise<pg.PoolClient> {
        return Promise.resolve(Object.assign(new pg.Client(), { release: () => undefined }) as pg.PoolClient);
      }
    }
    const run = agent('run', async () => {
      const connection: pg.PoolClient = await pgClient(new Pool({ database: 'shop' })).connect();
      const noted = connection as pg.PoolClient & { mine?: string };
      const before = noted.mine;
      noted.mine = 'noted';
      return [connection instanceof pg.Client, connection.constructor === pg.Client, before, noted.mine];
    });
    const { recorded, replayed, player } = await recordAndReplay(host, run);
    expect([recorded, replayed]).toEqual([{ value: [true, true, undefined, 'noted'] }, recorded]);
    expect(player.refusals).toEqual([]);
  });
});
