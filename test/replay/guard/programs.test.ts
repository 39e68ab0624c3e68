import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { entryFor, expectAllRefused } from './expect-refused.ts';
import { folderPicture } from './folder-picture.ts';
import { GuardStage } from './guard-stage.ts';

let stage: GuardStage;

beforeEach(() => {
  stage = new GuardStage();
  stage.keepDatabase();
});

afterEach(() => stage.strike());

function newNames(before: object): string[] {
  return Object.keys(folderPicture(stage.work)).filter((name) => !(name in before));
}

describe('code that no boundary covers cannot start others', () => {
  it('programs, shells, cluster workers or native libraries', async () => {
    const before = folderPicture(stage.work);
    const replayed = await stage.replay({ attempts: 'programs' });
    expect(folderPicture(stage.work)).toEqual(before);
    expect(replayed.attempted.size, replayed.output).toBe(14);
    expectAllRefused(replayed);
    expect(entryFor(replayed, 'child_process.spawn').source?.file).toMatch(/programs\.ts$/);
    expect(replayed.report.notes.join('\n')).toMatch(/cluster/);
  });

  it('although each of them starts where no replay runs', async () => {
    const before = folderPicture(stage.work);
    const free = await stage.runFreely({ attempts: 'programs' });
    const failed = [...free.values()].filter(({ code }) => code !== undefined).map(({ name }) => name);
    expect(failed).toEqual(['process.dlopen']);
    expect(newNames(before)).toHaveLength(12);
  });
});

describe('code that no boundary covers cannot start threads where they cannot be given the guard', () => {
  it('of text or of a file', async () => {
    const before = folderPicture(stage.work);
    const replayed = await stage.replay({ attempts: 'thread-starts' });
    expect(folderPicture(stage.work)).toEqual(before);
    expect(replayed.attempted.size, replayed.output).toBe(2);
    expectAllRefused(replayed);
  });

  it('although each of them starts where no replay runs', async () => {
    const before = folderPicture(stage.work);
    const free = await stage.runFreely({ attempts: 'thread-starts' });
    expect([...free.values()].map(({ value }) => value)).toEqual(['exit', 'exit']);
    expect(newNames(before)).toEqual(expect.arrayContaining(['worker.txt', 'made-by-a-file.txt']));
  });
});

describe('code that no boundary covers cannot change databases', () => {
  it('by opening, attaching, copying or backing up', async () => {
    const before = folderPicture(stage.work);
    const replayed = await stage.replay({ attempts: 'databases' });
    expect(folderPicture(stage.work)).toEqual(before);
    expect(replayed.attempted.size, replayed.output).toBe(10);
    expectAllRefused(replayed);
  });

  it('although each of them does where no replay runs', async () => {
    const before = folderPicture(stage.work);
    const free = await stage.runFreely({ attempts: 'databases' });
    expect([...free.values()].filter(({ code }) => code !== undefined)).toEqual([]);
    expect(newNames(before).sort()).toEqual(
      [
        'attached-prepared.db',
        'attached-quoted.db',
        'attached-too.db',
        'attached.db',
        'backup.db',
        'copied.db',
        'new.db',
      ].sort(),
    );
  });
});

describe('code that no boundary covers cannot change databases of native add-ons', () => {
  it('by opening them, or a file from inside of one', async () => {
    const before = folderPicture(stage.work);
    const replayed = await stage.replay({ attempts: 'native-databases' });
    expect(folderPicture(stage.work)).toEqual(before);
    expect(replayed.attempted.size, replayed.output).toBe(9);
    expectAllRefused(replayed);
    expect(entryFor(replayed, 'libsql.Database').next).toMatch(/--allow-path .*new\.db/);
    expect(replayed.report.notes.join('\n')).not.toMatch(/better_sqlite3|linux-x64\.node|duckdb/);
  });

  it('although each of them does where no replay runs', async () => {
    const before = folderPicture(stage.work);
    const free = await stage.runFreely({ attempts: 'native-databases' });
    expect([...free.values()].filter(({ code }) => code !== undefined)).toEqual([]);
    expect(newNames(before)).toEqual(
      expect.arrayContaining([
        'attached-second.db',
        'attached.db',
        'attached.duckdb',
        'cached.duckdb',
        'copied.csv',
        'new.db',
        'new.duckdb',
        'notes.mdb',
      ]),
    );
  });
});
