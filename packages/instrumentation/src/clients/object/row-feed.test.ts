import { EventEmitter } from 'node:events';
import { isReenactError } from '@reenact/trace-model';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agent, ioredisClient, mysql2Client, pgClient } from '../../index.ts';
import { crossingOf } from '../../testdata/recorded-crossing.ts';
import { RecordingHost } from '../../testdata/recording-host.ts';
import { recordAndReplay } from '../../testdata/replay-of.ts';

let host: RecordingHost;
beforeEach(() => {
  host = new RecordingHost();
});
afterEach(() => host.stop());

/** What a driver's client is to these tests: it hands back what it was given, or a list. */
class Client {
  query(asked: unknown): unknown {
    return typeof asked === 'object' ? asked : Promise.resolve({ rows: [] });
  }
}

function codeOf(error: unknown): unknown {
  return isReenactError(error) ? error.code : error;
}

async function thrownBy(act: () => unknown): Promise<unknown> {
  try {
    return await act();
  } catch (error) {
    return codeOf(error);
  }
}

describe('a query object of pg that is neither a cursor nor a stream', () => {
  it('is handed through, said to be lossy, and refused in a replay', async () => {
    const query = (): unknown => pgClient(new Client()).query(new pg.Query({ text: 'SELECT 1' }, []));
    const run = agent('run', () => thrownBy(() => (query() instanceof pg.Query ? 'theirs' : 'another')));
    const { recorded, replayed, player } = await recordAndReplay(host, run);
    expect(recorded).toEqual({ value: 'theirs' });
    expect(replayed).toEqual({ value: 'replay-refused' });
    // The agent caught it: only the report can tell.
    expect(player.refusals.join()).toContain('What comes through a Query given to `query` is not recorded.');
    expect(player.changed).toEqual([]);
    const crossing = (await host.recorded()).map(crossingOf).find(({ kind }) => kind === 'database');
    expect(crossing?.lossy).toEqual(['/output class Query']);
    expect(crossing?.input?.data).toBe('[{"text":"SELECT 1","values":[]}]');
  });
});

describe('rows that were recorded as one list', () => {
  it('are not served to a program that now reads them one by one', async () => {
    let asked: unknown = 'SELECT 1';
    const run = agent('run', () => thrownBy(() => pgClient(new Client()).query(asked)));
    // The same input, as far as it is recorded.
    const { replayed, player } = await recordAndReplay(host, run, {
      between: () => {
        asked = new pg.Query('SELECT 1', []);
      },
    });
    expect(replayed).toEqual({ value: 'replay-refused' });
    expect(player.refusals.join()).toContain('one by one');
  });
});

describe('a query of mysql2 without a callback', () => {
  /** As the driver's: waiting for it is a programming error, which it says by throwing. */
  class Query extends EventEmitter {
    stream(): never {
      throw new TypeError('not read here');
    }
    // biome-ignore lint/suspicious/noThenProperty: that is what the driver's class has.
    then(): never {
      throw new TypeError('waited for');
    }
  }

  it('is never waited for, and ends with what its listeners were told', async () => {
    const query = new Query();
    const connection = mysql2Client({ query: () => query, execute: () => query });
    const told: unknown[] = [];
    const run = agent('run', async () => {
      connection.query().on('result', (row) => told.push(row));
      const row = { n: 1, at: new Date(0) };
      query.emit('result', row, 0);
      row.at.setFullYear(2000);
      query.emit('end');
      await new Promise((resolve) => setImmediate(resolve));
    });
    await run();
    expect(told).toHaveLength(1);
    const crossing = (await host.recorded()).map(crossingOf).find(({ kind }) => kind === 'database');
    expect(crossing).toMatchObject({ call: 'async-iterator', outcome: { type: 'ended' } });
    expect(JSON.stringify(crossing?.outcome)).toContain('1970-01-01');
  });
});

describe('a stream of ioredis that is closed before its end', () => {
  it('is said to be aborted', async () => {
    class ScanStream extends EventEmitter {
      readonly opt: { redis: object; command: string };
      constructor(redis: object) {
        super();
        this.opt = { redis, command: 'scan' };
      }
    }
    class Redis {
      scanStream(): ScanStream {
        return new ScanStream(this);
      }
    }
    const client = ioredisClient(new Redis());
    await agent('run', () => client.scanStream().emit('close'))();
    const crossing = (await host.recorded()).map(crossingOf).find(({ kind }) => kind === 'database');
    expect([crossing?.name, crossing?.outcome.type]).toEqual(['redis.scanStream', 'aborted']);
  });
});
