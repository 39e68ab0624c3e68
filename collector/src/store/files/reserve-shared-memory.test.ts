import { mkdtempSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { reserveSharedMemory } from './reserve-shared-memory.ts';

const SMALL_BLOCK_BYTES = 1024;
const PART_BYTES = 100_000;
let folder: string;
let database: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'reenact-shared-'));
  database = join(folder, 'index.sqlite');
  writeFileSync(`${database}-shm`, 'what connections agree on');
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A disk that takes a part at a time, and no more than so much. */
function diskOf(bytesMax: number): typeof writeSync {
  return (file: number, content: NodeJS.ArrayBufferView | string, from = 0, length = 0, position = 0) => {
    const bytes = Math.min(Number(length), PART_BYTES, bytesMax - Number(position));
    if (bytes <= 0) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
    return writeSync(file, content as Buffer, Number(from), bytes, Number(position));
  };
}

it('takes every block, where the disk takes a part at a time', () => {
  reserveSharedMemory(database, SMALL_BLOCK_BYTES, diskOf(Number.POSITIVE_INFINITY));
  const content = readFileSync(`${database}-shm`);
  expect(content.length).toBe(512 * 1024);
  expect(content.toString('utf8', 0, 25)).toBe('what connections agree on');
});

it('fails where the disk gets full on the way', () => {
  const reserve = () => reserveSharedMemory(database, SMALL_BLOCK_BYTES, diskOf(PART_BYTES + 1));
  expect(reserve).toThrow('no space left');
});
