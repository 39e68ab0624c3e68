import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ReenactError } from '@reenact/trace-model/reenact-error';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UnusedBytes } from './blank-unused.ts';
import { type Disk, systemDisk } from './disk.ts';

let folder: string;
let path: string;
let database: DatabaseSync;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'reenact-blank-'));
  path = join(folder, 'some.sqlite');
});
afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

/** As SQLite leaves what it moves to another page, here all that is taken out: set to overwrite that, it would leave less. */
function open(pageBytes: number): UnusedBytes {
  database = new DatabaseSync(path);
  database.exec(`PRAGMA page_size = ${pageBytes}; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL;
    PRAGMA secure_delete = OFF; PRAGMA wal_autocheckpoint = 0;
    CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT NOT NULL, about TEXT NOT NULL); CREATE INDEX by_name ON person (name);
    CREATE TABLE fact (name TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID`);
  return new UnusedBytes(database, systemDisk, path);
}

const isGone = (number: number) => number % 3 === 0;
const nameOf = (number: number) => `${(number * 7919) % 1_000_003}-${isGone(number) ? 'gone' : 'stay'}-`;

function add(from: number, to: number): void {
  const person = database.prepare('INSERT INTO person VALUES (?, ?, ?)');
  const fact = database.prepare('INSERT INTO fact VALUES (?, ?)');
  database.exec('BEGIN');
  for (let number = from; number < to; number += 1) {
    // Some that stay are longer than a page.
    person.run(number, nameOf(number), nameOf(number).repeat(number % 50 === 1 ? 200 : 1));
    fact.run(nameOf(number), Buffer.alloc(number % 20, 7));
  }
  database.exec('COMMIT');
}

/** Pages that nothing is left on leave the file: `secure_delete` would overwrite these. */
function takeOut(): void {
  database.exec(
    "DELETE FROM person WHERE name LIKE '%gone-'; DELETE FROM fact WHERE name LIKE '%gone-'; PRAGMA incremental_vacuum",
  );
}

function content(): unknown {
  return [database.prepare('SELECT * FROM person').all(), database.prepare('SELECT * FROM fact').all()];
}

const goneInFile = () =>
  readFileSync(path)
    .toString('latin1')
    .match(/\d+-gone-/g) ?? [];

function blankAll(unused: UnusedBytes, between: () => void = () => undefined): number {
  let steps = 0;
  for (let end = -1; end !== 0; steps += 1) {
    end = unused.blank(Math.max(end, 0));
    between();
  }
  return steps;
}

describe('unused parts of pages', () => {
  it.each([512, 4096, 16_384, 65_536])(
    'say nothing any more of what was taken out, and nothing else changes: %i bytes a page',
    (pageBytes) => {
      const unused = open(pageBytes);
      add(0, 6000);
      takeOut();
      database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      expect(goneInFile().length).toBeGreaterThan(500);
      const before = content();
      blankAll(unused);
      expect(goneInFile()).toEqual([]);
      expect(content()).toEqual(before);
      expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
      // What is written from now on is made of pages as they are in memory.
      database.exec('UPDATE person SET about = about || 1; PRAGMA wal_checkpoint(TRUNCATE)');
      expect(goneInFile()).toEqual([]);
    },
  );

  it('are blanked in steps, between which others write and pages are moved', () => {
    open(512);
    const unused = new UnusedBytes(database, systemDisk, path, 100_000);
    add(0, 6000);
    let next = 6000;
    const steps = blankAll(unused, () => {
      add(next, next + 300);
      takeOut();
      database.exec(
        `PRAGMA secure_delete = ON; DELETE FROM person WHERE id < ${next / 5}; PRAGMA incremental_vacuum(50); PRAGMA secure_delete = OFF`,
      );
      next += 300;
    });
    expect(steps).toBeGreaterThan(5);
    const before = content();
    blankAll(unused);
    expect(goneInFile()).toEqual([]);
    expect(content()).toEqual(before);
    expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
  });
});

describe('unused parts of pages, beside others', () => {
  it('are blanked in steps that end by time, too, where much is to be written', () => {
    open(4096);
    add(0, 6000);
    takeOut();
    let writes = 0;
    let slowMs = 2;
    const slowDisk: Disk = {
      ...systemDisk,
      write: (...what) => {
        systemDisk.write(...what);
        writes += 1;
        for (const endMs = performance.now() + slowMs; performance.now() < endMs; );
      },
    };
    const unused = new UnusedBytes(database, slowDisk, path);
    const end = unused.blank(0);
    expect(end).toBeGreaterThan(1);
    // Those of the page in work behind the 25 ms.
    expect(writes).toBeLessThan(100);
    slowMs = 0;
    for (let next = end; next !== 0; next = unused.blank(next));
    expect(writes).toBeGreaterThan(300);
    expect(goneInFile()).toEqual([]);
  });

  it('stay as they are while somebody reads an older state', () => {
    const unused = open(4096);
    add(0, 100);
    const reader = new DatabaseSync(path, { readOnly: true });
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM person').get();
    takeOut();
    expect(() => unused.blank(0)).toThrow(ReenactError);
    reader.exec('COMMIT');
    reader.close();
    expect(unused.blank(0)).toBe(0);
    expect(goneInFile()).toEqual([]);
  });
});
