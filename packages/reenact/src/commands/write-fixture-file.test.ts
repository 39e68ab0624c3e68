import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeFixtureFile } from './write-fixture-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'reenact-write-fixture-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** What a disk says that gets full behind the first line. */
function* linesOfFullDisk(): Generator<string> {
  yield 'first\n';
  throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
}

describe('writeFixtureFile', () => {
  it('leaves the fixture that was there as it was when the disk gets full, and nothing beside it', () => {
    const path = join(folder, 'ticket.otlp.jsonl');
    writeFileSync(path, 'the only copy\n');
    expect(() => writeFixtureFile(path, linesOfFullDisk())).toThrow('There is no room for');
    expect(readFileSync(path, 'utf8')).toBe('the only copy\n');
    expect(readdirSync(folder)).toEqual(['ticket.otlp.jsonl']);
  });

  it('leaves no empty file where there was none', () => {
    expect(() => writeFixtureFile(join(folder, 'new.jsonl'), linesOfFullDisk())).toThrow('There is no room for');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('replaces what a link leads to, with the permissions it had', () => {
    const path = join(folder, 'ticket.otlp.jsonl');
    const link = join(folder, 'link');
    writeFileSync(path, 'before\n');
    chmodSync(path, 0o600);
    symlinkSync(path, link);
    expect(writeFixtureFile(link, ['ä\n', 'b\n'])).toBe(5);
    expect(readFileSync(path, 'utf8')).toBe('ä\nb\n');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder).toSorted()).toEqual(['link', 'ticket.otlp.jsonl']);
  });

  it('writes to a device as it is', () => {
    expect(writeFixtureFile('/dev/null', ['a\n'])).toBe(2);
    expect(statSync('/dev/null').isCharacterDevice()).toBe(true);
  });

  it('says what to do where there is no such folder', () => {
    expect(() => writeFixtureFile(join(folder, 'none/t.jsonl'), ['a\n'])).toThrow('cannot be written');
  });
});
