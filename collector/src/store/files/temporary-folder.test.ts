import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { lacksTemporaryFolder, needTemporaryFolder } from './temporary-folder.ts';

const nameless = { SQLITE_TMPDIR: undefined, TMPDIR: undefined };

describe('the folder for files of a moment', () => {
  it.each(['/var/tmp', '/tmp', '.'])('is one of the system where %s can be written to', (folder) => {
    expect(lacksTemporaryFolder(nameless, (asked) => asked === folder)).toBe(false);
  });

  it('is the one that the environment names', () => {
    expect(lacksTemporaryFolder({ TMPDIR: '/scratch' }, (asked) => asked === '/scratch')).toBe(false);
  });

  it('is lacking where none can be written to', () => {
    expect(lacksTemporaryFolder({ TMPDIR: '/scratch' }, () => false)).toBe(true);
  });

  it('stays what it is where there is one', () => {
    const database = new DatabaseSync(':memory:');
    needTemporaryFolder(database, '/data');
    expect(database.prepare('PRAGMA temp_store_directory').get()).toBeUndefined();
    database.close();
  });
});
