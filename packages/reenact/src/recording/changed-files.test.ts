import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasChangedFiles } from './changed-files.ts';

let folder: string;
const git = (...parameters: string[]): void => void execFileSync('git', parameters, { cwd: folder, stdio: 'ignore' });

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'reenact-tree-'));
  git('init');
  mkdirSync(join(folder, 'src'));
  // Names of every length modulo eight, for the padding of the index.
  for (const name of ['a', 'bc', 'def', 'ghij', 'klmno', 'pqrstu', 'vwxyzab', 'ümlaut']) {
    writeFileSync(join(folder, 'src', name), `content of ${name}`);
  }
  git('add', '.');
});
beforeEach(() => {
  git('checkout', '--', '.');
  git('update-index', '--refresh');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('tracked files', () => {
  it('are unchanged after a checkout, and where only their times changed', () => {
    expect(hasChangedFiles(folder)).toBeUndefined();
    utimesSync(join(folder, 'src/def'), 1, 1);
    expect(hasChangedFiles(folder)).toBeUndefined();
    writeFileSync(join(folder, 'src/untracked'), 'new');
    expect(hasChangedFiles(folder)).toBeUndefined();
  });

  it.each(['a', 'bc', 'def', 'ghij', 'klmno', 'pqrstu', 'vwxyzab', 'ümlaut'])('are changed where %s is', (name) => {
    const path = join(folder, 'src', name);
    writeFileSync(path, `CONTENT of ${name}`);
    utimesSync(path, 1, 1);
    expect(hasChangedFiles(folder)).toBe(true);
  });

  it('are changed where one is gone or has another size', () => {
    unlinkSync(join(folder, 'src/bc'));
    expect(hasChangedFiles(folder)).toBe(true);
    writeFileSync(join(folder, 'src/bc'), 'longer than the content of bc was');
    expect(hasChangedFiles(folder)).toBe(true);
  });

  it('are not judged by an index that is damaged, of another version, or not there', () => {
    writeFileSync(join(folder, 'src/a'), 'changed');
    git('update-index', '--index-version', '4');
    expect(hasChangedFiles(folder)).toBeUndefined();
    git('update-index', '--index-version', '2');
    expect(hasChangedFiles(folder)).toBe(true);
    writeFileSync(join(folder, '.git/index'), 'DIRC\0\0\0\x02\0\0\0\x05');
    expect(hasChangedFiles(folder)).toBeUndefined();
    expect(hasChangedFiles(join(folder, 'src'))).toBeUndefined();
    unlinkSync(join(folder, '.git/index'));
    git('add', 'src');
  });
});
