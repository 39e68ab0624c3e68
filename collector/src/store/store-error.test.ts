import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { toStoreError } from './store-error.ts';

function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: as the system says it, fdatasync`), { code });
}

/** What SQLite throws at this statement, on a database of one table with one column. */
function databaseError(statement: string, readOnly = false): unknown {
  const place = mkdtempSync(join(tmpdir(), 'reenact-store-error-'));
  const file = join(place, 'index.sqlite');
  writeFileSync(file, '');
  try {
    const made = new DatabaseSync(file);
    made.exec('CREATE TABLE block (id INTEGER)');
    made.close();
    const database = new DatabaseSync(file, { readOnly });
    try {
      database.exec(statement);
    } catch (thrown) {
      return thrown;
    } finally {
      database.close();
    }
    return undefined;
  } finally {
    rmSync(place, { recursive: true });
  }
}

describe('an error of the data directory', () => {
  it.each([
    ['a full disk', systemError('ENOSPC'), 'is full', 'Free some space'],
    ['a disk that fails', systemError('EIO'), 'fails: EIO', 'dmesg'],
    ['a disk that is read-only', systemError('EROFS'), 'is read-only: EROFS', 'writable again'],
    ['too many open files', systemError('EMFILE'), 'Too many files and connections are open: EMFILE', 'LimitNOFILE'],
    [
      'a database on such a disk',
      databaseError('INSERT INTO block VALUES (1)', true),
      'is read-only',
      'writable again',
    ],
    ['an index of another form', databaseError('INSERT INTO block VALUES (1, 2)'), '2 values', '--rebuild-index'],
    [
      'what SQLite calls damaged and a disk may not give',
      Object.assign(new Error('malformed'), { errcode: 11 }),
      'damaged',
      'dmesg',
    ],
    ['anything else', systemError('EACCES'), 'cannot be used: EACCES', 'may write to'],
  ])('says of %s what it is and what to do', (_, thrown, message, next) => {
    expect(toStoreError(thrown, '/data')).toMatchObject({
      code: 'store-failed',
      where: '/data',
      retryable: true,
      message: expect.stringContaining(message),
      next: expect.stringContaining(next),
    });
  });
});
