import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasChangedFiles } from './changed-files.ts';
import { findGitFolder } from './git-folder.ts';

let folder: string;
const git = (...parameters: string[]): void => void execFileSync('git', parameters, { cwd: folder, stdio: 'ignore' });
const isChanged = (): true | undefined => {
  const found = findGitFolder(folder);
  if (found === undefined) throw new Error('no git folder');
  return hasChangedFiles(found);
};

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
    expect(isChanged()).toBeUndefined();
    utimesSync(join(folder, 'src/def'), 1, 1);
    expect(isChanged()).toBeUndefined();
    writeFileSync(join(folder, 'src/untracked'), 'new');
    expect(isChanged()).toBeUndefined();
  });

  it.each(['a', 'bc', 'def', 'ghij', 'klmno', 'pqrstu', 'vwxyzab', 'ümlaut'])('are changed where %s is', (name) => {
    const path = join(folder, 'src', name);
    writeFileSync(path, `CONTENT of ${name}`);
    utimesSync(path, 1, 1);
    expect(isChanged()).toBe(true);
  });

  it('are changed where one is gone or has another size', () => {
    unlinkSync(join(folder, 'src/bc'));
    expect(isChanged()).toBe(true);
    writeFileSync(join(folder, 'src/bc'), 'longer than the content of bc was');
    expect(isChanged()).toBe(true);
  });

  it.each(['objectformat = sha1', 'objectFormat=sha1', 'objectformat =  sha1 '])(
    'are judged where their names are said to be of SHA-1: %s',
    (setting) => {
      const config = join(folder, '.git/config');
      const before = readFileSync(config);
      appendFileSync(config, `[extensions]\n\t${setting}\n`);
      try {
        expect(isChanged()).toBeUndefined();
        writeFileSync(join(folder, 'src/a'), 'changed');
        expect(isChanged()).toBe(true);
      } finally {
        writeFileSync(config, before);
      }
    },
  );

  it('are not judged by an index that is damaged, of another version, or not there', () => {
    writeFileSync(join(folder, 'src/a'), 'changed');
    git('update-index', '--index-version', '4');
    expect(isChanged()).toBeUndefined();
    git('update-index', '--index-version', '2');
    expect(isChanged()).toBe(true);
    writeFileSync(join(folder, '.git/index'), 'DIRC\0\0\0\x02\0\0\0\x05');
    expect(isChanged()).toBeUndefined();
    unlinkSync(join(folder, '.git/index'));
    git('add', 'src');
  });
});

describe('a clean tree', () => {
  let outer: string;
  beforeAll(() => {
    outer = folder;
  });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'reenact-clean-tree-'));
  });
  afterEach(() => {
    // After a hook that failed there is none: git without a folder would check out the tree that these tests are in.
    if (folder !== outer) rmSync(folder, { recursive: true, force: true });
    folder = outer;
  });
  const addFile = (...init: string[]): string => {
    git('init', ...init);
    writeFileSync(join(folder, 'file'), 'one\ntwo\n');
    git('add', '.');
    return join(folder, 'file');
  };

  it('is not judged where names are of SHA-256', () => {
    addFile('--object-format=sha256');
    expect(isChanged()).toBeUndefined();
  });

  it.each(['--skip-worktree', '--assume-unchanged'])('has files that git does not look at: %s', (option) => {
    const path = addFile();
    writeFileSync(join(folder, 'other'), 'content');
    git('add', '.');
    git('update-index', option, 'file');
    unlinkSync(path);
    expect(isChanged()).toBeUndefined();
    writeFileSync(join(folder, 'other'), 'changed');
    utimesSync(join(folder, 'other'), 1, 1);
    expect(isChanged()).toBe(true);
  });

  it('may end its lines otherwise than git keeps them', () => {
    const path = addFile();
    git('config', 'core.autocrlf', 'true');
    unlinkSync(path);
    git('checkout', '--', '.');
    expect(readFileSync(path, 'utf8')).toBe('one\r\ntwo\r\n');
    utimesSync(path, 1, 1);
    expect(isChanged()).toBeUndefined();
    writeFileSync(path, 'one\ntwo\n');
    expect(isChanged()).toBeUndefined();
    writeFileSync(path, 'ONE\ntwo\n');
    expect(isChanged()).toBe(true);
  });

  it('may have what a filter makes of what git keeps', () => {
    git('init');
    git('config', 'filter.upper.clean', 'tr A-Z a-z');
    git('config', 'filter.upper.smudge', 'tr a-z A-Z');
    writeFileSync(join(folder, '.gitattributes'), '*.txt filter=upper\n');
    writeFileSync(join(folder, 'a.txt'), 'LOUD');
    git('add', '.');
    utimesSync(join(folder, 'a.txt'), 1, 1);
    expect(isChanged()).toBeUndefined();
  });

  it('may have been put into the index without its sizes and times', () => {
    addFile();
    git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '-m', 'first');
    git('read-tree', 'HEAD');
    expect(isChanged()).toBeUndefined();
  });
});
