import { execFileSync } from 'node:child_process';
import { constants, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { appendingPath, fileToAppend } from './appended-file.ts';

const { O_APPEND, O_CREAT, O_EXCL, O_RDWR, O_SYNC, O_TRUNC, O_WRONLY } = constants;
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'reenact-append-')));
const file = join(folder, 'a.log');

afterAll(() => rmSync(folder, { recursive: true }));

describe('a call that only adds to a file', () => {
  it.each<[string, readonly unknown[]]>([
    ['open', [file, 'a']],
    ['openSync', [Buffer.from(file), 'as', 0o600]],
    ['open', [pathToFileURL(file), O_WRONLY | O_APPEND | O_CREAT | O_SYNC]],
    ['appendFile', [file, 'x']],
    ['appendFileSync', [file, 'x', 'utf8']],
    ['appendFileSync', [file, 'x', { flag: 'a' }]],
    ['writeFile', [file, 'x', { flag: 'a' }]],
    ['createWriteStream', [file, { flags: 'a' }]],
    ['createWriteStream', [file, { flags: 'a+' }]],
  ])('is told by what it is given: %s %j', (key, given) => {
    expect(appendingPath(key, given)).toBe(file);
  });

  it.each<[string, readonly unknown[]]>([
    ['open', [file]],
    ['open', [file, 'a+']],
    ['open', [file, 'ax']],
    ['open', [file, 'w']],
    ['open', [file, O_WRONLY | O_CREAT]],
    ['open', [file, O_RDWR | O_APPEND]],
    ['open', [file, O_WRONLY | O_APPEND | O_TRUNC]],
    ['open', [file, O_WRONLY | O_APPEND | O_CREAT | O_EXCL]],
    ['appendFile', [7, 'x']],
    ['appendFile', [file, 'x', { flag: 'w' }]],
    ['appendFile', ['/dev/stdout', 'x']],
    ['writeFile', [file, 'x']],
    ['createWriteStream', [file]],
    ['createWriteStream', [file, 'utf8']],
    ['createWriteStream', [file, { flags: 'r+' }]],
    ['createWriteStream', [file, { flags: 'ax+' }]],
    ['truncate', [file]],
    ['unlink', [file]],
  ])('is no other: %s %j', (key, given) => {
    expect(appendingPath(key, given)).toBeUndefined();
  });

  it('has a file that is there or is yet to be made, behind its links, and nothing else', () => {
    expect(fileToAppend(file)).toBe(file);
    writeFileSync(file, '');
    symlinkSync(file, join(folder, 'link'));
    expect(fileToAppend(join(folder, 'link'))).toBe(file);
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    expect([folder, join(folder, 'pipe')].map(fileToAppend)).toEqual([undefined, undefined]);
  });
});
