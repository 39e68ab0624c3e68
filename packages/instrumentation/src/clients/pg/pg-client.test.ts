import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import type { PgReport } from '../../testdata/pg-application.ts';

let reports: Readonly<Record<string, PgReport>>;
beforeAll(async () => {
  const application = fileURLToPath(new URL('../../testdata/pg-application.ts', import.meta.url));
  const flags = ['--conditions=@reenact/source', '--no-warnings', application];
  const { stdout } = await promisify(execFile)(process.execPath, flags);
  reports = JSON.parse(stdout) as Record<string, PgReport>;
});

const work = [
  1,
  [{ id: 1, symbol: 'ACME', at: new Date(0).toISOString(), facts: { shares: 1000 } }],
  ['id', 'symbol', 'at', 'facts'],
  [true, '42P01', 'relation "nowhere" does not exist'],
  [null, [{ n: 1 }]],
  "'it''s'",
];

describe('pg', () => {
  it.each([
    ['client', work],
    ['pool', [work, [{ seven: 7 }], ['no error', [{ eight: 8 }]]]],
  ])('is recorded, and replayed with nothing listening: a %s', (use, value) => {
    const { crossings, ...report } = reports[use] as PgReport;
    expect(report).toEqual({ recorded: { value }, isReplayEqual: true, refusals: [], lossy: [], holdsPassword: false });
    const effectOf = (text: string): unknown => crossings.find(([, , input]) => input.includes(text))?.[1];
    expect([effectOf('DELETE FROM orders'), effectOf('SELECT * FROM nowhere')]).toEqual(['write', 'read']);
    expect(new Set(crossings.map(([name]) => name))).toEqual(
      new Set(['postgresql.connect', 'postgresql.query', 'postgresql.escapeLiteral', 'postgresql.end']),
    );
  });

  it('is told again of what it listened to', () => {
    expect(reports.listening).toMatchObject({
      recorded: { value: ['LISTEN', 'orders', 'sold', 'number'] },
      isReplayEqual: true,
      lossy: [],
    });
    const told = reports.listening?.crossings.filter(([name]) => name === 'postgresql.notification');
    expect(told).toEqual([['postgresql.notification', 'read', expect.stringContaining('"payload":"sold"')]]);
  });

  it('asks no pool for a connection on which a query is to run live, where the one it has was served', () => {
    const error = [
      ['code', 'replay-refused'],
      ['next', 'Run database:postgresql.connect live, too.'],
    ];
    // That of the test, which came last.
    expect(reports.liveQuery).toEqual({ replayed: expect.arrayContaining(error), connections: 1 });
  });

  it('says in a replay how a pool stood', () => {
    const value = [
      [1, 0, 0, false, false],
      [0, 0, 0, true, true],
      [0, 0, 0, true, true],
    ];
    expect(reports.poolState).toMatchObject({ recorded: { value }, isReplayEqual: true, refusals: [] });
  });

  it('says of a connection of a pool that listens that nothing is told again', () => {
    expect(reports.listeningThroughPool).toMatchObject({
      recorded: { value: 'LISTEN' },
      isReplayEqual: true,
      lossy: ['/output notification events'],
    });
  });
});
