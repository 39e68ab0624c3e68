import { readFileSync, writeFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { verifyStore } from '@reenact/collector';
import { createCollectorClient } from '@reenact/collector-client';
import { ATTR_GEN_AI_OPERATION_NAME, ATTR_GEN_AI_REQUEST_MODEL } from '@reenact/semconv/gen-ai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { crossingSpan, send } from '../query/run-corpus.ts';
import { makeSpan, spanIdOf, Testbed, textAttributes, traceIdOf } from '../testbed.ts';

const testbed = new Testbed();
let sound: string;
let damaged: string;

/** A store with a run that can be replayed and one that cannot, every summary made, and no process on it. */
beforeAll(async () => {
  const { httpUrl, dataDirectory, stop } = await testbed.start();
  await send(httpUrl, [crossingSpan({ trace: 1, span: 1 })]);
  const attributes = textAttributes({ [ATTR_GEN_AI_OPERATION_NAME]: 'chat', [ATTR_GEN_AI_REQUEST_MODEL]: 'm' });
  await send(httpUrl, [makeSpan({ traceId: traceIdOf(2), spanId: spanIdOf(2), attributes })]);
  const { runs } = await createCollectorClient({ url: httpUrl }).listRuns();
  expect(runs).toHaveLength(2);
  await stop();
  sound = dataDirectory;
});
afterAll(() => testbed.dispose());

async function damage(...statements: readonly string[]): Promise<void> {
  damaged = await testbed.directory();
  await cp(sound, damaged, { recursive: true });
  const database = new DatabaseSync(join(damaged, 'index.sqlite'));
  for (const statement of statements)
    expect([statement, Number(database.prepare(statement).run().changes)]).toEqual([statement, 1]);
  database.close();
}

const found = (directory: string) => verifyStore(directory).problems.map(({ part, what }) => `${part}: ${what}`);

const GONE = 987_654;
const CAUSE = `(SELECT value FROM facet WHERE facet = 'cold' ORDER BY value LIMIT 1)`;

describe('a check of the tables that are made of summaries', () => {
  it('finds nothing where there is nothing to be found, of a cold run and one that is not', async () => {
    await damage();
    expect(found(damaged)).toEqual([]);
    const database = new DatabaseSync(join(damaged, 'index.sqlite'), { readOnly: true });
    const rows = (table: string) => Number(database.prepare(`SELECT count(*) AS rows FROM ${table}`).get()?.rows);
    for (const table of ['facet', 'observation', 'tally']) expect([table, rows(table) > 0]).toEqual([table, true]);
    database.close();
  });

  it.each([
    ['facet', `INSERT INTO facet VALUES ('default', 'service', 'shop', ${GONE})`],
    ['usage', `INSERT INTO usage VALUES (${GONE}, 'p', 'm', 1, 2, 3, 4, 5)`],
    ['observation', `UPDATE observation SET trace = ${GONE}`],
  ])('finds rows of "%s" whose run is gone', async (table, statement) => {
    await damage(statement);
    expect(found(damaged)).toContain(`index: 1 rows of "${table}" are of runs that are gone`);
  });

  it.each([
    ['is too high', [`UPDATE tally SET count = count + 1 WHERE name = ${CAUSE}`], 2],
    ['is missing', [`DELETE FROM tally WHERE name = ${CAUSE}`], 1],
    ['is of a cause that no run has', [`INSERT INTO tally VALUES ('no such cause', 1)`], 1],
    [
      'was not made when a run became cold',
      [`INSERT INTO facet SELECT 'default', 'cold', 'new cause', id FROM trace LIMIT 1`],
      1,
    ],
  ])('finds a count of cold cases that %s', async (_label, statements, count) => {
    await damage(...statements);
    expect(found(damaged)).toContain(`index: ${count} counts of cold cases are not what the runs say`);
  });

  it('leaves nothing of all this where it makes the index again', async () => {
    await damage(
      `INSERT INTO usage VALUES (${GONE}, 'p', 'm', 1, 2, 3, 4, 5)`,
      `INSERT INTO tally VALUES ('no such cause', 1)`,
    );
    expect(found(damaged)).toHaveLength(2);
    expect(verifyStore(damaged, { rebuildIndex: true }).problems).toEqual([]);
    expect(found(damaged)).toEqual([]);
  });
});

describe('a check of the search file', () => {
  it.each([
    ['damaged in its midst', (bytes: Buffer) => bytes.fill(0xa5, 4096)],
    ['no database at all', (bytes: Buffer) => bytes.fill('nothing of use')],
  ])('finds it %s, though a store that is opened makes it again', async (_label, spoil) => {
    await damage();
    const path = join(damaged, 'search.sqlite');
    writeFileSync(path, spoil(readFileSync(path)));
    expect(found(damaged)).toEqual([expect.stringMatching(/^search: it is damaged; a collector that starts here/)]);
    writeFileSync(path, spoil(readFileSync(path)));
    expect(verifyStore(damaged, { rebuildIndex: true }).problems).toEqual([]);
  });
});
