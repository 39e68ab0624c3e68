import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Peer } from '../fidelity-library.ts';

/** A database file in a folder of its own. Every transaction that writes to it is a contact. */
export async function startSqlitePeer(): Promise<Peer> {
  const folder = mkdtempSync(join(tmpdir(), 'reenact-fidelity-'));
  const address = join(folder, 'orders.sqlite');
  return {
    address,
    get contacts() {
      return statSync(address, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    },
    stop: async () => rmSync(folder, { recursive: true }),
  };
}
