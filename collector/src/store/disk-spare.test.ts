import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { keepSpare, SPARE_FILE } from './disk-spare.ts';

let directory: string;
const sizeOf = () => statSync(join(directory, SPARE_FILE)).size;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'reenact-spare-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

describe('the spare of a data directory', () => {
  it('is made again where the process that made it was killed before it was whole', async () => {
    await keepSpare(directory);
    const whole = sizeOf();
    writeFileSync(join(directory, SPARE_FILE), 'the first part');
    await keepSpare(directory);
    expect(sizeOf()).toBe(whole);
  });

  it('stays the file that it is where it is whole', async () => {
    await keepSpare(directory);
    const { ino, mtimeMs } = statSync(join(directory, SPARE_FILE));
    await keepSpare(directory);
    expect(statSync(join(directory, SPARE_FILE))).toMatchObject({ ino, mtimeMs });
  });
});
