import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeDirectories } from './make-directories.ts';

let place: string;

beforeEach(() => {
  place = realpathSync(mkdtempSync(join(tmpdir(), 'reenact-directories-')));
});
afterEach(() => {
  rmSync(place, { recursive: true });
});

describe('directories', () => {
  it('are made with those above them, for their owner alone, and the first is named', () => {
    const deep = join(place, 'a', 'b', 'c');
    expect(makeDirectories(deep)).toBe(join(place, 'a'));
    for (const made of ['a', 'a/b', 'a/b/c']) expect(statSync(join(place, made)).mode & 0o777).toBe(0o700);
    expect(makeDirectories(deep)).toBeUndefined();
    expect(makeDirectories(join(deep, 'd'))).toBe(join(deep, 'd'));
  });

  it('are not made in the place of a file, nor below one', () => {
    writeFileSync(join(place, 'file'), '');
    expect(() => makeDirectories(join(place, 'file'))).toThrow('EEXIST');
    expect(() => makeDirectories(join(place, 'file', 'below'))).toThrow('EEXIST');
  });

  it('may be there as a link', () => {
    mkdirSync(join(place, 'real'));
    symlinkSync('real', join(place, 'link'));
    expect(makeDirectories(join(place, 'link'))).toBeUndefined();
    expect(makeDirectories(join(place, 'link', 'data'))).toBe(join(place, 'link', 'data'));
  });

  it.runIf(process.platform === 'linux')('that the system lets nobody make end in its error', () => {
    expect(() => makeDirectories('/proc/reenact/data')).toThrow('ENOENT');
  });
});
