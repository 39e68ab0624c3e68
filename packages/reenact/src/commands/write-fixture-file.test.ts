import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
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

/** Whether this user and this machine can mount; a container often cannot. */
function canMount(): boolean {
  const place = mkdtempSync(join(tmpdir(), 'reenact-mount-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16k', 'tmpfs', place], { stdio: 'ignore' });
    execFileSync('umount', [place], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

describe.skipIf(!canMount())('a fixture that is mounted by itself', () => {
  const mounted: string[] = [];
  const mount = (place: string, ...parameters: string[]): void => {
    execFileSync('mount', [...parameters, place], { stdio: 'ignore' });
    mounted.unshift(place);
  };
  const mountFile = (path: string): string => {
    const disk = join(folder, 'disk');
    mkdirSync(disk);
    mount(disk, '-t', 'tmpfs', '-o', 'size=16k', 'tmpfs');
    writeFileSync(join(disk, 'fixture'), 'the only copy\n');
    writeFileSync(path, '');
    return join(disk, 'fixture');
  };
  const errorOf = (path: string): { next?: string } => {
    try {
      writeFixtureFile(path, [`${'x'.repeat(100_000)}\n`]);
    } catch (thrown) {
      return thrown as { next?: string };
    }
    throw new Error('nothing was thrown');
  };
  afterEach(() => {
    for (const place of mounted.splice(0)) execFileSync('umount', [place]);
  });

  it('is as it was where its disk gets full in the middle of writing it over', () => {
    const path = join(folder, 'ticket.jsonl');
    mount(path, '--bind', mountFile(path));
    expect(errorOf(path)).toMatchObject({
      message: expect.stringContaining('There is no room'),
      next: expect.stringContaining('as it was.'),
    });
    expect(readFileSync(path, 'utf8')).toBe('the only copy\n');
    expect(readdirSync(folder).toSorted()).toEqual(['disk', 'ticket.jsonl']);
    expect(writeFixtureFile(path, ['new\n'])).toBe(4);
    expect(readFileSync(path, 'utf8')).toBe('new\n');
    expect(readdirSync(folder).toSorted()).toEqual(['disk', 'ticket.jsonl']);
  });

  it('is kept beside where it cannot be put back, and the error says where', () => {
    const path = join(folder, 'ticket.jsonl');
    const onDisk = mountFile(path);
    // Larger than its disk, as it has a hole.
    truncateSync(onDisk, 50_000);
    mount(path, '--bind', onDisk);
    const before = readFileSync(path);
    const { next = '' } = errorOf(path);
    const [, kept = ''] = /what it had is in (.*)\.$/.exec(next) ?? [];
    expect(readFileSync(kept)).toEqual(before);
    expect(next).not.toContain('as it was');
  });

  it('is as it was in a folder where nothing can be made', () => {
    const fixed = join(folder, 'fixed');
    const path = join(fixed, 'ticket.jsonl');
    mkdirSync(fixed);
    const onDisk = mountFile(path);
    mount(fixed, '--bind', fixed);
    execFileSync('mount', ['-o', 'remount,ro,bind', fixed]);
    mount(path, '--bind', onDisk);
    expect(errorOf(path).next).toContain('as it was.');
    expect(readFileSync(path, 'utf8')).toBe('the only copy\n');
    expect(writeFixtureFile(path, ['new\n'])).toBe(4);
    expect(readFileSync(path, 'utf8')).toBe('new\n');
  });
});
