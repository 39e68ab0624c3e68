import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { forgetHolder, noteHolder, readHolder } from './holder-note.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'reenact-holder-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

describe('the note of who has a data directory', () => {
  it('is read until it is forgotten, and is the last one', () => {
    expect(readHolder(directory)).toBeUndefined();
    noteHolder(directory, 'reenact store verify');
    noteHolder(directory, 'reenact store delete');
    expect(readHolder(directory)).toBe('reenact store delete');
    forgetHolder(directory);
    expect(readHolder(directory)).toBeUndefined();
  });

  it('is written over no file that a link leads to', () => {
    const other = join(directory, 'other');
    writeFileSync(other, 'theirs');
    chmodSync(other, 0o600);
    symlinkSync(other, join(directory, 'held-by-command'));
    noteHolder(directory, 'reenact store delete');
    expect([readFileSync(other, 'utf8'), statSync(other).mode & 0o777]).toEqual(['theirs', 0o600]);
    expect(readHolder(directory)).toBe('reenact store delete');
  });
});
