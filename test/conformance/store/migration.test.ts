import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';
import { openStore } from '@reenact/collector';
import { decodeSpan } from '@reenact/otlp';
import { afterEach, describe, expect, it } from 'vitest';
import { Testbed, traceIdOf } from '../testbed.ts';

const VERSION_1 = new URL('../../fixtures/stores/version-1.sqlite.gz', import.meta.url);

/** With each item looked for in all of the queue they took 26 s of processor time. */
const SPANS_WAITING = 30_000;
const TAKEOVER_CPU_S_MAX = 12;

function versionOf(directory: string): unknown {
  const database = new DatabaseSync(join(directory, 'recordings.sqlite'));
  const version = database.prepare('SELECT max(version) AS version FROM format_version').get()?.version;
  database.close();
  return version;
}

async function placeVersion1(testbed: Testbed): Promise<string> {
  const directory = await testbed.directory();
  writeFileSync(join(directory, 'recordings.sqlite'), gunzipSync(readFileSync(VERSION_1)));
  return directory;
}

const testbed = new Testbed();
afterEach(() => testbed.dispose());

describe('a data directory of format version 1', () => {
  it('is taken over with every span, version, log record and queue entry', async () => {
    const directory = await placeVersion1(testbed);
    for (const round of ['migrated', 'opened again']) {
      const store = await openStore(directory);
      expect(await store.stats(), round).toMatchObject({ spans: 34, traces: 8, logRecords: 2 });
      expect(await store.queueDepths()).toEqual(new Map([['jaeger', 30]]));
      const trace = await store.readTrace('default', traceIdOf(6));
      expect(trace.map(({ bytes }) => nameOf(bytes))).toEqual(['step 0', 'step 1', 'step 2', 'step 3', 'step 4']);
      expect((await store.readTrace('default', traceIdOf(7)))[0]).toMatchObject({ versions: 3, isConflicting: true });
      expect((await store.readTrace('default', traceIdOf(8)))[0]?.format).toBe('json');
      expect(await store.readLogs('default', traceIdOf(1))).toHaveLength(1);
      expect(await store.staleTraces(100)).toHaveLength(8);
      await store.close();
    }
  });

  it('tells how far it is', async () => {
    const told: string[] = [];
    const directory = await placeVersion1(testbed);
    const store = await openStore(directory, {
      onOpening: ({ what, done, total }) => told.push(`${what} ${done}/${total}`),
    });
    await store.close();
    expect(told).toEqual(
      expect.arrayContaining([
        'taking over the first format 1/37',
        'taking over the first format 37/37',
        'letting go of the first format 0/34',
      ]),
    );
  });

  it('takes time by its length, and none for each pair of an item and what waits', async () => {
    const directory = await placeVersion1(testbed);
    const database = new DatabaseSync(join(directory, 'recordings.sqlite'));
    database.exec(`WITH RECURSIVE numbers (n) AS (SELECT 100 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${SPANS_WAITING + 99})
      INSERT INTO span SELECT n, 'default', randomblob(16), randomblob(8), randomblob(32), 1, 1, 0, 0, 1, '', 1, '', 1, x'' FROM numbers;
      INSERT INTO queue (destination, signal, item) SELECT 'archive', 0, id FROM span`);
    database.close();
    const before = process.cpuUsage();
    const store = await openStore(directory);
    const { user, system } = process.cpuUsage(before);
    expect((await store.queueDepths()).get('archive')).toBe(SPANS_WAITING + 34);
    expect((user + system) / 1e6).toBeLessThan(TAKEOVER_CPU_S_MAX);
    await store.close();
  });

  it('gives its queue on in order, the metrics request last', async () => {
    const store = await openStore(await placeVersion1(testbed));
    const signals: string[] = [];
    for (let batch = await store.peekQueue('jaeger', 100, 1e6); batch !== undefined; ) {
      signals.push(`${batch.entries.length} ${batch.signal}`);
      await store.settleQueue(batch.entries.map(({ queueId }) => queueId));
      batch = await store.peekQueue('jaeger', 100, 1e6);
    }
    expect(signals).toEqual(['27 traces', '2 logs', '1 metrics']);
    await store.close();
  });
});

describe('letting go of the tables of format version 1', () => {
  it.each(['metrics_request', 'log_record'])('loses and doubles nothing where it was cut off at %s', async (table) => {
    const directory = await placeVersion1(testbed);
    const change = (sql: string): void => {
      const database = new DatabaseSync(join(directory, 'recordings.sqlite'));
      database.exec(sql);
      database.close();
    };
    change(`CREATE TRIGGER ends BEFORE DELETE ON ${table} BEGIN SELECT RAISE(ABORT, 'cut off'); END`);
    await expect(openStore(directory)).rejects.toThrow('cut off');
    change('DROP TRIGGER ends');
    expect(versionOf(directory), 'an earlier version would serve what is left').toBe(2);
    const store = await openStore(directory);
    expect(await store.stats()).toMatchObject({ spans: 34, traces: 8, logRecords: 2 });
    expect(await store.queueDepths()).toEqual(new Map([['jaeger', 30]]));
    expect((await store.readTrace('default', traceIdOf(7)))[0]).toMatchObject({ versions: 3, isConflicting: true });
    await store.close();
  });

  it.each(['taking over', 'letting go of'])(
    'loses nothing where the opening is told to end while %s it',
    async (step) => {
      const directory = await placeVersion1(testbed);
      const ending = new AbortController();
      const onOpening = ({ what }: { what: string }) => {
        if (what === `${step} the first format`) ending.abort();
      };
      await expect(openStore(directory, { signal: ending.signal, onOpening })).rejects.toThrow('broken off');
      const store = await openStore(directory);
      expect(await store.stats()).toMatchObject({ spans: 34, traces: 8, logRecords: 2 });
      expect(await store.queueDepths()).toEqual(new Map([['jaeger', 30]]));
      await store.close();
    },
  );

  it('answers others while it lets go of the former tables', async () => {
    const directory = await placeVersion1(testbed);
    const database = new DatabaseSync(join(directory, 'recordings.sqlite'));
    database.exec(`WITH RECURSIVE numbers (n) AS (SELECT 100 UNION ALL SELECT n + 1 FROM numbers WHERE n < 5000)
      INSERT INTO part SELECT n, randomblob(32), 0, randomblob(10) FROM numbers`);
    database.close();
    let turns = 0;
    const turn = setInterval(() => {
      turns += 1;
    });
    const told: number[] = [];
    const store = await openStore(directory, {
      onOpening: ({ what, total }) => {
        if (what === 'letting go of the first format' && total === 5000) told.push(turns);
      },
    });
    clearInterval(turn);
    expect(told).toHaveLength(20);
    expect(new Set(told).size).toBeGreaterThan(1);
    await store.close();
  });
});

function nameOf(bytes: Uint8Array): string {
  const decoded = decodeSpan(bytes);
  return decoded.ok ? decoded.value.name : '';
}
