import { hash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSearchFile, readSearchStamp, searchPathOf } from './open-search-file.ts';
import { SearchFile, type TextsOfRun } from './search-file.ts';
import { toSearchableTexts } from './searchable-texts.ts';
import { verifyWords } from './verify-words.ts';

let directory: string;
let file: SearchFile;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'reenact-search-'));
  createSearchFile(directory, 7);
  file = new SearchFile(directory);
});
afterEach(() => {
  file.close();
  rmSync(directory, { recursive: true });
});

function keep(trace: number, revision: number, text: string | undefined): number {
  const texts = text === undefined ? [] : [{ spanId: '', part: 'input', text } as const];
  return file.keep([{ trace, revision, texts: toSearchableTexts(texts) }]);
}

function found(expression: string): number[] {
  const rows = file.database.prepare('SELECT rowid FROM search WHERE search MATCH ? ORDER BY rowid').all(expression);
  return rows.map(({ rowid }) => Number(rowid));
}

function compact(): void {
  for (let isBegun = false; file.compact(isBegun); ) isBegun = true;
}

/** Fails where words, texts and runs do not go together. */
function check(): void {
  file.database.exec("INSERT INTO search (search) VALUES ('integrity-check')");
  const rows = (sql: string) => file.database.prepare(sql).all();
  expect(rows('SELECT id FROM search_docsize ORDER BY id')).toEqual(
    rows('SELECT trace AS id FROM content WHERE texts IS NOT NULL ORDER BY trace'),
  );
}

/** Opens it as if it were too large to be merged in one go. */
function openAsLarge(): void {
  file.close();
  file = new SearchFile(directory, 1, 0);
}

/** A word that no other ends like: a beginning that words share is written once. */
const wordOf = (trace: number) => hash('sha256', `${trace}`).slice(0, 24);

/** Whether a word is in any of its files. */
function isOnDisk(word: string): boolean {
  file.tidy(true);
  return readdirSync(directory).some((name) => readFileSync(join(directory, name)).includes(word));
}

const traces = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

describe('runs that are taken out of a search file that can be merged in one go', () => {
  beforeEach(() => {
    for (let trace = 1; trace <= 300; trace += 1)
      keep(trace, 1, `albatross ${wordOf(trace)} number${trace} ${'one two '.repeat(50)}`);
  });

  it('leave it together, and no word of theirs in any of its files', () => {
    const before = statSync(searchPathOf(directory)).size;
    expect(isOnDisk(wordOf(25).slice(8))).toBe(true);
    expect(file.forget(traces(20, 40))).toBe(21);
    check();
    expect(found('albatross')).toEqual([...traces(1, 19), ...traces(41, 300)]);
    expect([found('number25'), found('number41'), found('x')]).toEqual([[], [41], []]);
    expect([isOnDisk(wordOf(25).slice(8)), isOnDisk(wordOf(41).slice(8)), file.isWorthCompacting()]).toEqual([
      false,
      true,
      false,
    ]);
    expect(statSync(searchPathOf(directory)).size).toBeLessThanOrEqual(before);
  });

  it('leave it a few at a time where the disk has no room for that', () => {
    const { page_count: pages } = file.database.prepare('PRAGMA page_count').get() ?? {};
    file.database.exec(`PRAGMA max_page_count = ${Number(pages)}`);
    expect(file.forget(traces(20, 40))).toBe(16);
    check();
    expect(found('albatross')).toEqual([...traces(1, 19), ...traces(36, 300)]);
    expect([isOnDisk(wordOf(25).slice(8)), isOnDisk(wordOf(41).slice(8))]).toEqual([false, true]);
    file.database.exec('PRAGMA max_page_count = 1000000');
    expect(file.forget(traces(36, 40))).toBe(5);
    check();
  });
});

describe('runs that are taken out of a large search file', () => {
  it('takes out a few at a time where others are more, and all at once where few are left', () => {
    openAsLarge();
    for (let trace = 1; trace <= 100; trace += 1) keep(trace, 1, `albatross number${trace} ${'one two '.repeat(50)}`);
    // Six times as long each, so it takes more than a seventh of them.
    expect(file.forget(traces(1, 14))).toBe(14);
    expect(file.forget(traces(20, 37))).toBe(18);
    check();
    expect(found('albatross')).toEqual([...traces(15, 19), ...traces(38, 100)]);
    expect(file.forget(traces(39, 100))).toBe(62);
    check();
    expect(found('albatross')).toEqual([...traces(15, 19), 38]);
    file.tidy(true);
    const all = readdirSync(directory).map((name) => readFileSync(join(directory, name)));
    expect(all.some((bytes) => bytes.includes('number99'))).toBe(false);
    expect(statSync(searchPathOf(directory)).size).toBeLessThan(20 * 16_384);
  });
});

describe('the search file', () => {
  it('finds the newest texts of a run only, and says how far it is', () => {
    expect(keep(1, 1, 'the albatross')).toBe(1);
    expect(keep(1, 3, 'the buffalo')).toBe(2);
    keep(1, 2, 'the crocodile');
    expect([found('albatross'), found('buffalo'), found('crocodile')]).toEqual([[], [1], []]);
    expect(keep(1, 4, undefined)).toBe(4);
    expect(found('buffalo')).toEqual([]);
    file.close();
    expect(readSearchStamp(directory)).toEqual({ id: 7, generation: 4 });
  });

  it.each([true, false])('leaves no word of what was taken out in any of its files; large: %s', (isLarge) => {
    if (isLarge) openAsLarge();
    keep(1, 1, `albatross ${'one two three '.repeat(200)}`);
    keep(2, 1, `buffalo ${'one two three '.repeat(200)}`);
    file.forget([1, 99]);
    file.tidy(true);
    const all = readdirSync(directory).map((name) => readFileSync(join(directory, name)));
    expect(all.some((bytes) => bytes.includes('albatross'))).toBe(false);
    expect(all.some((bytes) => bytes.includes('buffalo'))).toBe(true);
    expect(found('three')).toEqual([2]);
  });

  it.each([true, false])('is as if written once, whatever was kept, replaced and taken out; large: %s', (isLarge) => {
    if (isLarge) openAsLarge();
    const word = fc.constantFrom('ant', 'Bée', '売って', 'naïve', 'x1', 'ant ant', '');
    const text = fc.array(word, { maxLength: 12 }).map((words) => words.join(' '));
    const act = fc.record({
      trace: fc.integer({ min: 1, max: 5 }),
      text: fc.option(text),
      isForgotten: fc.boolean(),
      isCompacted: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(act, { maxLength: 30 }), (acts) => {
        const expected = new Map<number, string>();
        for (const [revision, { trace, text: said, isForgotten, isCompacted }] of acts.entries()) {
          if (isCompacted) compact();
          if (isForgotten) file.forget([trace]);
          else keep(trace, revision + 1, said ?? undefined);
          if (isForgotten || said === null) expected.delete(trace);
          else expected.set(trace, said);
        }
        check();
        const having = (part: string) =>
          [...expected].filter(([, said]) => said.includes(part)).map(([trace]) => trace);
        expect(found('ant')).toEqual(having('ant').sort());
        expect(found('bee')).toEqual(having('Bée').sort());
        expect(found('"売 っ て"')).toEqual(having('売って').sort());
        file.forget([1, 2, 3, 4, 5]);
      }),
      { numRuns: 60 },
    );
  });

  it('has no stamp where it is damaged or gone', () => {
    file.close();
    rmSync(searchPathOf(directory));
    expect(readSearchStamp(directory)).toBeUndefined();
  });
});

describe('a run that was replaced', () => {
  it('has no word of an earlier revision once a run is taken out, however often the word stood in both', () => {
    openAsLarge();
    const counts = Array.from({ length: 40 }, (_, index) => 1 + index * 10);
    const said = counts.map((count) => `heron${count} `.repeat(count)).join('');
    for (const revision of [1, 2, 3]) keep(1, revision, `${'other '.repeat(revision)}${said}`);
    expect(verifyWords(file.database)).toEqual([]);
    file.forget([1]);
    expect(verifyWords(file.database)).toEqual([]);
    expect(isOnDisk('heron')).toBe(false);
  });
});

describe('the number of words of a run', () => {
  it.each([0, 1, 127, 128, 300, 20_000])('is compared with its texts: %i', (count) => {
    keep(1, 1, 'one '.repeat(count).trim());
    expect(verifyWords(file.database)).toEqual([]);
    file.database.enableDefensive(false);
    file.database.exec("UPDATE search_docsize SET sz = x'12'");
    expect(verifyWords(file.database)).toEqual(['1 runs have another number of words than their texts']);
  });
});

describe('words that are entered together with others', () => {
  it('leave the pages they are on when they are taken out, also behind a batch that could not be kept', () => {
    const run = (trace: number, revision: number, text: string): TextsOfRun => {
      return { trace, revision, texts: toSearchableTexts([{ spanId: '', part: 'input', text }]) };
    };
    const isRemovedFromPages = () =>
      file.database.prepare("SELECT v FROM search_config WHERE k = 'secure-delete'").get()?.v === 1;
    openAsLarge();
    file.keep([run(1, 1, 'the albatross'), run(2, 1, 'the buffalo'), run(3, 1, 'the old crocodile')]);
    file.keep([
      run(4, 1, 'the dolphin'),
      run(3, 2, 'the new crocodile'),
      run(5, 1, 'the first eel'),
      run(5, 2, 'the eel'),
    ]);
    const unread = { trace: 7, revision: 1, texts: { kept: new Uint8Array(0), words: undefined as never } };
    expect(() => file.keep([run(6, 1, 'the falcon'), unread])).toThrow();
    check();
    expect([found('the'), found('first'), found('falcon'), isRemovedFromPages()]).toEqual([
      [1, 2, 3, 4, 5],
      [],
      [],
      true,
    ]);
    file.forget([1, 4]);
    check();
    expect(['albatross', 'dolphin', 'old', 'first', 'buffalo'].map(isOnDisk)).toEqual([
      false,
      false,
      false,
      false,
      true,
    ]);
  });
});

describe('a search file that much was taken out of', () => {
  it('is as small as what it holds once it is made so, and no smaller the second time', () => {
    openAsLarge();
    const words = () => Array.from({ length: 20_000 }, () => Math.random().toString(36).slice(2, 8)).join(' ');
    const sizeOf = (): number => {
      file.database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
      return statSync(searchPathOf(directory)).size;
    };
    for (let trace = 1; trace <= 20; trace += 1) keep(trace, 1, `${words()} albatross${trace}`);
    compact();
    const whole = sizeOf();
    file.forget(Array.from({ length: 15 }, (_, index) => index + 1));
    file.tidy(true);
    expect([sizeOf() > whole * 0.5, file.isWorthCompacting()]).toEqual([true, true]);
    compact();
    expect(file.isWorthCompacting()).toBe(false);
    const small = sizeOf();
    compact();
    expect(small).toBeLessThan(whole * 0.35);
    expect(sizeOf()).toBeLessThanOrEqual(small);
    expect([found('albatross15'), found('albatross16'), found('x')]).toEqual([[], [16], []]);
    check();
  });

  it('has nothing left of a process that died while it made it small', () => {
    keep(1, 1, 'the albatross');
    file.database.exec("INSERT INTO search (rowid, words) VALUES (-1, 'x')");
    file.close();
    file = new SearchFile(directory);
    check();
    expect([found('albatross'), found('x')]).toEqual([[1], []]);
  });
});
