import { once } from 'node:events';
import { PGlite } from '@electric-sql/pglite';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agent, boundary } from '../../index.ts';
import { crossingOf } from '../../testdata/recorded-crossing.ts';
import { RecordingHost } from '../../testdata/recording-host.ts';
import { recordAndReplay } from '../../testdata/replay-of.ts';
import { PLANTED_SECRETS } from '../../testing/planted-secrets.ts';

let database: PGlite;
let server: PGLiteSocketServer;
let port: number;
beforeAll(async () => {
  database = await PGlite.create();
  server = new PGLiteSocketServer({ db: database, host: '127.0.0.1', port: 0 });
  const listening = once(server, 'listening');
  await server.start();
  const [{ detail }] = (await listening) as [CustomEvent<{ port: number }>];
  port = detail.port;
});
afterAll(async () => {
  await server.stop();
  await database.close();
});

/** As docs/clients.md says to wrap it. */
async function failedWith(text: string, values: (string | number)[]): Promise<unknown> {
  const sql = postgres({ host: '127.0.0.1', port, user: 'postgres', database: 'postgres', max: 1, fetch_types: false });
  const client = boundary.client(
    { rows: async () => [...(await sql.unsafe(text, values))], end: async () => sql.end() },
    {
      kind: 'database',
      name: 'postgres',
      methods: { rows: {}, end: { closes: true } },
      errors: [postgres.PostgresError],
    },
  );
  try {
    return await client.rows();
  } catch (error) {
    return error;
  } finally {
    await client.end();
  }
}

/** What postgres.js puts on an error so that it does not show. */
const notedMembers = ['query', 'parameters', 'args', 'types'];

async function recordFailure(values: (string | number)[]): Promise<{
  readonly errors: readonly Error[];
  readonly lossy: readonly string[];
  readonly payload: string;
}> {
  const host = new RecordingHost();
  const run = agent('run', () => failedWith('SELECT $1::text, ($2::int / 0)', values));
  const listening = port;
  // Nothing listens on the port of a replay.
  const between = (): void => {
    port = 1;
  };
  const { recorded, replayed, player } = await recordAndReplay(host, run, { between });
  port = listening;
  expect(player.refusals).toEqual([]);
  const crossings = (await host.recorded()).map(crossingOf).filter(({ kind }) => kind === 'database');
  await host.stop();
  const errors = [recorded, replayed].map((ended) => ('value' in ended ? (ended.value as Error) : new Error('none')));
  const outcomes = crossings.map(({ outcome }) => outcome);
  return { errors, lossy: crossings.flatMap(({ lossy }) => lossy), payload: JSON.stringify(outcomes) };
}

describe('an error of postgres.js', () => {
  it('comes back with the statement that failed and what was given to it, which do not show', async () => {
    const { errors, lossy } = await recordFailure(['ACME', 7]);
    const [recorded, replayed] = errors.map((error) => ({
      isOfClass: error instanceof postgres.PostgresError,
      shown: Object.entries(error),
      noted: notedMembers.map((name) => Reflect.get(error, name)),
      stack: error.stack,
    }));
    expect(recorded).toMatchObject({
      isOfClass: true,
      noted: ['SELECT $1::text, ($2::int / 0)', ['ACME', '7'], ['ACME', 7], expect.any(Array)],
    });
    expect(replayed).toEqual(recorded);
    expect(lossy).toEqual([]);
  });

  it('leaves the process without the secrets among what was given to it', async () => {
    const secret = PLANTED_SECRETS.find(({ kind }) => kind === 'openai project key')?.secret ?? '';
    const { errors, payload } = await recordFailure([secret, 7]);
    expect(Reflect.get(errors[0] ?? {}, 'parameters')).toContain(secret);
    expect(payload).toContain('SELECT $1::text');
    expect(payload).not.toContain(secret);
  });
});
