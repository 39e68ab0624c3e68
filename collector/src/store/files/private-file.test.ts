import { chmodSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makePrivateFile } from './private-file.ts';

const READ_BY_ALL_MODE = 0o644;
let directory: string;
let file: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'reenact-private-'));
  file = join(directory, 'file');
  writeFileSync(file, '');
  chmodSync(file, READ_BY_ALL_MODE);
});
afterEach(() => rmSync(directory, { recursive: true }));

const modeOf = (path: string): number => statSync(path).mode & 0o777;

describe.skipIf(process.platform === 'win32')('a file that holds what was recorded', () => {
  it("becomes its owner's alone", () => {
    expect(modeOf(makePrivateFile(file))).toBe(0o600);
  });

  it.skipIf(process.getuid?.() !== 0)('is not what a link of somebody else leads an administrator to', () => {
    const link = join(directory, 'index.sqlite');
    symlinkSync(file, link);
    makePrivateFile(link);
    expect(modeOf(file)).toBe(READ_BY_ALL_MODE);
  });
});
