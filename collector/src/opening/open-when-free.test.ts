import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { noteHolder, readHolder } from '../store/holder-note.ts';
import { openStore } from '../store/open-store.ts';
import { DIRECTORY_IN_USE } from '../store/store-error.ts';
import { openWhenFree } from './open-when-free.ts';

const COMMAND = 'reenact store delete';
const POLL_MS = 10;

let directory: string;
let told: string[];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'reenact-when-free-'));
  told = [];
});
afterEach(() => rmSync(directory, { recursive: true }));

const opening = (tell: (what: string) => void = () => undefined, signal?: AbortSignal) => {
  const note = ({ what }: { readonly what: string }) => {
    told.push(what);
    tell(what);
  };
  return openWhenFree(directory, () => openStore(directory), { tell: note, signal, pollMs: POLL_MS });
};

describe('a store whose directory somebody has', () => {
  it('is opened once the command that has it is through', async () => {
    const held = await openStore(directory, { heldFor: COMMAND });
    let closed: Promise<void> | undefined;
    const store = await opening(() => {
      closed ??= held.close();
    });
    await closed;
    await store.close();
    expect(new Set(told)).toEqual(new Set([`waiting for \`${COMMAND}\`, which has the data directory`]));
    expect(readHolder(directory)).toBeUndefined();
  });

  it('is not waited for where a collector has it, whatever a command left that was killed', async () => {
    noteHolder(directory, COMMAND);
    const other = await openStore(directory);
    await expect(opening()).rejects.toThrow(DIRECTORY_IN_USE);
    await other.close();
    expect(told).toEqual([]);
  });

  it('is not waited for by a start that is to end', async () => {
    const held = await openStore(directory, { heldFor: COMMAND });
    const ending = new AbortController();
    await expect(opening(() => ending.abort(), ending.signal)).rejects.toThrow(DIRECTORY_IN_USE);
    await held.close();
    expect(told).toHaveLength(1);
  });
});
