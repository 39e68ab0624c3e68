import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** One order in the ledger file. */
export interface LedgerRow {
  readonly symbol: string;
  readonly side: string;
  readonly quantity: number;
  readonly price: number;
}

/** Where the agent of a stage keeps its ledger. */
export function ledgerPath(folder: string): string {
  return join(folder, 'ledger.sqlite');
}

/** The orders that were placed. */
export function ledgerRows(folder: string): LedgerRow[] {
  if (!existsSync(ledgerPath(folder))) return [];
  const ledger = new DatabaseSync(ledgerPath(folder), { readOnly: true });
  try {
    return ledger
      .prepare('SELECT symbol, side, quantity, price FROM orders ORDER BY id')
      .all() as unknown as LedgerRow[];
  } finally {
    ledger.close();
  }
}

/** SHA-256 over the ledger file's bytes. */
export function ledgerDigest(folder: string): string {
  return createHash('sha256')
    .update(readFileSync(ledgerPath(folder)))
    .digest('hex');
}
