import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SPOOL_FOLDERS_A_TURN } from '../limits.ts';
import { listSpoolFolders, listSpoolFoldersInTurns } from './spool-folders.ts';
import { folderName, type SpoolOwner } from './spool-owner.ts';

const owner: SpoolOwner = { destination: 'd'.repeat(12), scope: 'a'.repeat(12), processId: 2 ** 30, start: '1' };
const count = 2 * SPOOL_FOLDERS_A_TURN + 1;
let place: string;

beforeAll(() => {
  place = mkdtempSync(join(tmpdir(), 'spool-folders-'));
  for (let made = 0; made < count; made += 1) mkdirSync(join(place, folderName(owner)));
});

afterAll(() => rmSync(place, { recursive: true }));

describe('folders that many processes left', () => {
  it('are looked at some at a time, and are the same ones', async () => {
    let pauses = 0;
    const found = await listSpoolFoldersInTurns(place, owner.scope, async () => {
      pauses += 1;
      return true;
    });
    expect(pauses).toBe(2);
    expect(found).toHaveLength(count);
    expect(new Set(found)).toEqual(new Set(listSpoolFolders(place, owner.scope)));
  });

  it('are not looked at any more where somebody waits', async () => {
    expect(await listSpoolFoldersInTurns(place, owner.scope, async () => false)).toBeUndefined();
  });
});
