import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';

/** Sums stay numbers that are exact in JavaScript and in SQLite, of however many rows. */
const SUM_END = 2 ** 52;

const NONE = '\0';
const END_OF_VALUE = '\n';

type Value = string | number | bigint | Uint8Array | null;

function bytesOf(value: Value): string | Uint8Array {
  if (value === null) return NONE;
  return typeof value === 'object' ? value : String(value);
}

/** The sum over all rows that are made of one summary, whatever their order: where a bit of one has changed it is another. */
export class RunSum {
  private sum = 0;

  get value(): number {
    return this.sum;
  }

  add(table: string, values: readonly Value[]): void {
    let crc = crc32(table);
    for (const value of values) crc = crc32(END_OF_VALUE, crc32(bytesOf(value), crc));
    this.sum = (this.sum + crc) % SUM_END;
  }
}

/** What each row has that a sum is made of, in the order in which it is added. */
const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  trace: ['service', 'status', 'verdict', 'summary', 'is_special', 'is_replay'],
  facet: ['tenant', 'facet', 'value'],
  usage: ['provider', 'model', 'calls', 'input_tokens', 'output_tokens', 'cache_read_tokens', 'cache_write_tokens'],
  observation: ['span_id', 'tenant', 'input', 'outcome', 'start_ns', 'kind', 'name', 'service', 'circumstances'],
};

/** Adds up what the index holds of runs, to compare with the sum that was noted with their summaries. */
export class RunSums {
  private readonly statements: readonly (readonly [table: string, select: StatementSync])[];

  constructor(database: DatabaseSync) {
    this.statements = Object.entries(COLUMNS).map(([table, columns]) => {
      // As bytes: a text that is read as one ends at its first zero.
      const read = columns.map((column) => `CAST(${column} AS BLOB)`).join(', ');
      const select = database.prepare(`SELECT ${read} FROM ${table} WHERE ${table === 'trace' ? 'id' : 'trace'} = ?`);
      return [table, select] as const;
    });
  }

  of(trace: number): number {
    const sum = new RunSum();
    for (const [table, select] of this.statements) {
      for (const row of select.iterate(trace)) sum.add(table, Object.values(row));
    }
    return sum.value;
  }
}
