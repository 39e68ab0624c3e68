import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openStore } from '../open-store.ts';
import { verifyStore } from '../verify/verify-store.ts';
import { copyDirectory } from './copy-directory.ts';

let place: string;
let dataDirectory: string;
let target: string;

beforeEach(async () => {
  place = mkdtempSync(join(tmpdir(), 'reenact-copied-'));
  dataDirectory = join(place, 'data');
  target = join(place, 'copy.part');
  await (await openStore(dataDirectory)).close();
});
afterEach(() => rmSync(place, { recursive: true }));

describe('a backup', () => {
  it('that was broken off is neither opened nor found good', async () => {
    mkdirSync(target);
    // Where the packs are to go, so that it ends behind the index, as where its process is killed.
    writeFileSync(join(target, 'packs'), '');
    expect(() => copyDirectory({ dataDirectory }, target, true)).toThrow();
    rmSync(join(target, 'packs'));
    const refusal = { code: 'store-failed', message: expect.stringContaining('broken off') };
    expect(() => verifyStore(target)).toThrow(expect.objectContaining(refusal));
    await expect(openStore(target)).rejects.toMatchObject(refusal);
    expect(existsSync(join(target, 'recordings.sqlite'))).toBe(false);
  });

  it('that is whole is both', async () => {
    copyDirectory({ dataDirectory }, target, true);
    expect(verifyStore(target)).toMatchObject({ problems: [] });
    await (await openStore(target)).close();
  });
});

describe('a start', () => {
  it('removes what a process that was killed has left of files that it wrote anew', async () => {
    const names = ['packs/000000000009.pack.part', 'chain/000000000009.chain.part'];
    mkdirSync(join(dataDirectory, 'chain'), { recursive: true });
    for (const name of names) writeFileSync(join(dataDirectory, name), 'the first part');
    await (await openStore(dataDirectory)).close();
    expect([...readdirSync(join(dataDirectory, 'packs')), ...readdirSync(join(dataDirectory, 'chain'))]).toEqual([]);
  });
});
