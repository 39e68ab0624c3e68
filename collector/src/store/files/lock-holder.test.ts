import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockHolderOf } from './lock-holder.ts';

let folder: string;
const undo: (() => void)[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'reenact-lock-holder-'));
});
afterEach(() => {
  for (const step of undo.splice(0).reverse()) step();
  rmSync(folder, { recursive: true });
});

function lock(path: string): void {
  const database = new DatabaseSync(path);
  undo.push(() => database.close());
  database.exec('BEGIN EXCLUSIVE');
}

/** A file system of its own, whose first file has the number of that of any other; undefined without the right to mount. */
function mountOwn(name: string): string | undefined {
  const place = join(folder, name);
  mkdirSync(place);
  try {
    execFileSync('mount', ['-t', 'tmpfs', 'reenact-test', place], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  undo.push(() => execFileSync('umount', [place]));
  return place;
}

describe.runIf(process.platform === 'linux')('who has a lock of a file', () => {
  it('is named, also where the file is reached by another name of its folder', () => {
    const path = join(folder, 'file');
    lock(path);
    expect(lockHolderOf(path)).toBe(process.pid);
    symlinkSync(folder, join(folder, 'link'));
    expect(lockHolderOf(join(folder, 'link', 'file'))).toBe(process.pid);
  });

  it('is not told of a file that nobody has locked, or that is not there', () => {
    const path = join(folder, 'file');
    writeFileSync(path, '');
    expect(lockHolderOf(path)).toBeUndefined();
    expect(lockHolderOf(join(folder, 'nothing'))).toBeUndefined();
  });

  it('is not who has a file of the same number in another file system', ({ skip }) => {
    const [one, other] = [mountOwn('one'), mountOwn('other')];
    if (one === undefined || other === undefined) return skip('needs the right to mount');
    lock(join(one, 'file'));
    const path = join(other, 'file');
    writeFileSync(path, '');
    if (statSync(path).ino !== statSync(join(one, 'file')).ino) return skip('this system numbers them across');
    expect(lockHolderOf(path)).toBeUndefined();
  });
});
