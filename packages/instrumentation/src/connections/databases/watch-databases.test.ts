import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import sqlite, { type DatabaseSync } from 'node:sqlite';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gate } from '../../admission/current-gate.ts';
import { agent, boundary } from '../../boundary/boundaries.ts';
import { sqliteClient } from '../../clients/sqlite/sqlite-client.ts';
import type { CrossingFacts } from '../../gate/crossing-facts.ts';
import { installConnectionWatch } from '../install-connection-watch.ts';

const recorded: CrossingFacts[] = [];
/** The class as it was before anybody watched. Node.js shows what is replaced in this module only to who imports it by name later. */
const { DatabaseSync: before } = sqlite;
let folder: string;
let uninstall = (): void => undefined;

beforeAll(() => {
  mkdirSync(resolve('node_modules'), { recursive: true });
  folder = mkdtempSync(resolve('node_modules', 'reenact-databases-'));
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  gate.configure({ recorder: { record: (facts) => recorded.push(facts) } });
  uninstall = installConnectionWatch();
});

afterAll(() => {
  uninstall();
  gate.configure({ recorder: undefined });
  context.disable();
  rmSync(folder, { recursive: true });
});

async function marksOf(work: () => unknown): Promise<readonly string[]> {
  recorded.length = 0;
  await agent('keeping', async () => void (await work()))();
  return recorded.find(({ boundary: { name } }) => name === 'keeping')?.lossy ?? [];
}

const inFolder = (name: string): string => join(folder, name);
const markOf = (name: string): string => `/connections/file ${inFolder(name)}`;

function keepIn(Database: typeof DatabaseSync, location: string | URL): void {
  const database = new Database(location);
  database.exec('CREATE TABLE IF NOT EXISTS notes (text)');
  database.prepare('INSERT INTO notes VALUES (?)').run('x');
  database.close();
}

describe('a database of node:sqlite', () => {
  it('that an agent opens by a path, a URL or a class of its own is said', async () => {
    class Ledger extends sqlite.DatabaseSync {}
    expect(await marksOf(() => keepIn(sqlite.DatabaseSync, inFolder('one.db')))).toEqual([markOf('one.db')]);
    expect(await marksOf(() => keepIn(sqlite.DatabaseSync, `file:${inFolder('one.db')}?mode=rw`))).toEqual([
      markOf('one.db'),
    ]);
    expect(await marksOf(() => keepIn(Ledger, inFolder('two.db')))).toEqual([markOf('two.db')]);
  });

  it('that was opened outside of it is said where an agent uses it, and not where its tool does', async () => {
    const database = new sqlite.DatabaseSync(inFolder('before.db'));
    const mark = markOf('before.db');
    // Where it was opened, before all runs, is said as well.
    const uses = await marksOf(() => database.prepare('SELECT 1').get());
    expect(uses).toContain(mark);
    expect(await marksOf(() => boundary('tool', 'ask', () => database.prepare('SELECT 1').get())())).not.toContain(
      mark,
    );
    database.close();
  });

  it('is not said in memory, for reading only, of a wrapped class, and where the process makes it among temporary files', async () => {
    keepIn(sqlite.DatabaseSync, inFolder('kept.db'));
    const scratch = mkdtempSync(join(tmpdir(), 'reenact-databases-'));
    const marks = await marksOf(() => {
      keepIn(sqlite.DatabaseSync, ':memory:');
      new sqlite.DatabaseSync(inFolder('kept.db'), { readOnly: true }).close();
      new sqlite.DatabaseSync(`file:${inFolder('kept.db')}?mode=ro`).close();
      keepIn(sqliteClient(sqlite.DatabaseSync), inFolder('wrapped.db'));
      keepIn(sqlite.DatabaseSync, join(scratch, 'new.db'));
      keepIn(sqlite.DatabaseSync, join(scratch, 'new.db'));
    });
    rmSync(scratch, { recursive: true });
    expect(marks.filter((mark) => !mark.includes('before the run'))).toEqual([]);
  });

  it('is said by what a statement names, and where it is copied to', async () => {
    const attached = await marksOf(() =>
      new sqlite.DatabaseSync(':memory:').exec(`ATTACH '${inFolder('other.db')}' AS other`),
    );
    expect(attached).toContain(markOf('other.db'));
    const copied = await marksOf(() => sqlite.backup(new sqlite.DatabaseSync(':memory:'), inFolder('copy.db')));
    expect(copied).toContain(markOf('copy.db'));
  });

  it('is an instance of the class that is exported, and the class is what it was once nobody watches', () => {
    const database = new sqlite.DatabaseSync(':memory:');
    expect([database instanceof sqlite.DatabaseSync, database.constructor === sqlite.DatabaseSync]).toEqual([
      true,
      true,
    ]);
    expect([sqlite.DatabaseSync.name, sqlite.DatabaseSync.length, sqlite.DatabaseSync === before]).toEqual([
      before.name,
      before.length,
      false,
    ]);
    uninstall();
    expect(sqlite.DatabaseSync).toBe(before);
    expect(database.constructor).toBe(before);
    uninstall = installConnectionWatch();
  });
});

describe('a file about the process', () => {
  it('is said where an agent has it written, and not among temporary files', async () => {
    const { report } = process;
    expect(await marksOf(() => report.writeReport(inFolder('now.json')))).toContain(markOf('now.json'));
    const scratch = mkdtempSync(join(tmpdir(), 'reenact-dumps-'));
    const marks = await marksOf(() => report.writeReport(join(scratch, 'now.json')));
    rmSync(scratch, { recursive: true });
    expect(marks.filter((mark) => mark.includes('now.json'))).toEqual([]);
  });
});
