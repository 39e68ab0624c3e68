import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import * as libsql from '@libsql/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agent, findDriverClasses, libsqlClient, tool } from '../../index.ts';
import { crossingOf } from '../../testdata/recorded-crossing.ts';
import { RecordingHost } from '../../testdata/recording-host.ts';
import { recordAndReplay } from '../../testdata/replay-of.ts';

const require = createRequire(import.meta.url);

let host: RecordingHost;
let folder: string;
beforeEach(() => {
  findDriverClasses();
  host = new RecordingHost();
  folder = mkdtempSync(join(tmpdir(), 'reenact-libsql-'));
});
afterEach(async () => {
  await host.stop();
  rmSync(folder, { recursive: true });
});

async function errorOf(act: () => Promise<unknown>): Promise<readonly unknown[]> {
  try {
    return [await act()];
  } catch (error) {
    const { code, extendedCode, rawCode, cause } = error as libsql.LibsqlError;
    return [(error as Error).constructor, code, extendedCode, rawCode, (cause as Error | undefined)?.constructor];
  }
}

async function trade(client: libsql.Client): Promise<unknown> {
  await client.executeMultiple('CREATE TABLE orders (id INTEGER PRIMARY KEY, symbol TEXT NOT NULL)');
  const transaction = await client.transaction('write');
  const both = await transaction.batch(["INSERT INTO orders (symbol) VALUES ('ACME')", 'SELECT * FROM orders']);
  const refused = await errorOf(() => transaction.execute('INSERT INTO orders (symbol) VALUES (NULL)'));
  await transaction.rollback();
  const states = [transaction.closed, client.closed, client.protocol];
  client.close();
  return [JSON.stringify(both), refused, states, client.closed];
}

describe('libsqlClient', () => {
  it.each([
    ['an ES module', libsql],
    ['CommonJS', require('@libsql/client') as typeof libsql],
  ])('gives what the clients of the module gave, and a replay makes no file: %s', async (_, module) => {
    const { SqliteError } = require('libsql') as { SqliteError: unknown };
    let target = join(folder, 'orders.db');
    const run = agent('trader', () => trade(libsqlClient(module).createClient({ url: `file:${target}` })));
    const { recorded, replayed, player } = await recordAndReplay(host, run, {
      between: () => {
        target = join(folder, 'never.db');
      },
    });
    expect(recorded).toEqual({
      value: [
        expect.stringContaining('"rows":[[1,"ACME"]]'),
        [module.LibsqlError, 'SQLITE_CONSTRAINT', 'SQLITE_CONSTRAINT_NOTNULL', 1299, SqliteError],
        [true, false, 'file'],
        true,
      ],
    });
    expect(replayed).toStrictEqual(recorded);
    expect(player.refusals).toEqual([]);
    expect(existsSync(target)).toBe(false);
  });

  it('keeps no credentials, tells what only reads, and has the name that the application gives', async () => {
    const client = libsqlClient(libsql, { name: 'facts' }).createClient({
      url: ':memory:',
      authToken: 'planted-secret',
    });
    await agent('reader', async () => {
      await libsqlClient(libsql).createClient({ url: ':memory:', authToken: 'planted-secret' }).execute('SELECT 1');
      await client.batch(['SELECT 1', ['SELECT ?', [2]], { sql: 'SELECT 3', args: [] }]);
      await client.batch([['SELECT ?', [1]], 'CREATE TABLE t (n)']);
    })();
    const crossings = (await host.recorded()).map(crossingOf);
    expect(inspect(crossings, { depth: 20 })).not.toContain('planted-secret');
    const told = crossings.filter(({ kind }) => kind === 'database').map(({ name, effect }) => [name, effect]);
    expect(told).toEqual([
      ['facts.createClient', 'write'],
      ['libsql.createClient', 'write'],
      ['libsql.execute', 'read'],
      ['facts.batch', 'read'],
      ['facts.batch', 'write'],
    ]);
  });

  it('throws the error of a file that cannot be opened, in a replay, too', async () => {
    const path = join(folder, 'nowhere', 'orders.db');
    const open = async (): Promise<unknown> => libsqlClient(libsql).createClient({ url: `file:${path}` });
    const { recorded, replayed } = await recordAndReplay(
      host,
      agent('trader', () => errorOf(open)),
    );
    expect(recorded).toMatchObject({ value: { length: 5 } });
    expect(replayed).toStrictEqual(recorded);
  });

  it('makes an error of the driver again that a tool threw with a client of its own', async () => {
    const { createClient, LibsqlError } = require('@libsql/client') as typeof libsql;
    const ask = tool('ask', () => createClient({ url: ':memory:' }).execute('SELECT * FROM nowhere'));
    const { recorded, replayed } = await recordAndReplay(
      host,
      agent('trader', () => errorOf(ask)),
    );
    expect(recorded).toMatchObject({ value: { 0: LibsqlError, 1: 'SQLITE_ERROR' } });
    expect(replayed).toStrictEqual(recorded);
  });
});

describe('a live statement in a replay', () => {
  it('begins no transaction for a statement that is to run live in one that was served', async () => {
    const url = `file:${join(folder, 'orders.db')}`;
    const direct = libsql.createClient({ url });
    await direct.execute('CREATE TABLE orders (id INTEGER)');
    const run = agent('trader', async () => {
      const transaction = await libsqlClient(libsql).createClient({ url }).transaction('write');
      await transaction.execute('INSERT INTO orders VALUES (1)');
      await transaction.commit();
    });
    const { replayed } = await recordAndReplay(host, run, { live: ['libsql.execute'] });
    const next = 'Run database:libsql.transaction live, too.';
    expect(replayed).toMatchObject({ error: { code: 'replay-refused', next } });
    // It would wait for a transaction that nobody ends.
    await direct.execute('INSERT INTO orders VALUES (2)');
    expect((await direct.execute('SELECT id FROM orders')).rows.map(({ id }) => id)).toEqual([1, 2]);
    direct.close();
  });
});
