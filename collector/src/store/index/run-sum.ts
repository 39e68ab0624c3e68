import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';

/** Sums stay numbers that are exact in JavaScript and in SQLite, of however many rows. */
const SUM_END = 2 ** 52;

const NONE = '\0';
const END_OF_VALUE = '\n';

type Value = string | number | bigint | Uint8Array | null;

/** The sum over all rows that are made of one summary, whatever their order: where a bit of one has changed it is another. */
export class RunSum {
  private sum = 0;

  get value(): number {
    return this.sum;
  }

  add(table: string, values: readonly Value[]): void {
    let crc = 0;
    // What can be added up as one text is: each call costs as much as the bytes of a value.
    let text = table;
    for (const value of values) {
      if (typeof value === 'object' && value !== null) {
        crc = crc32(value, crc32(text, crc));
        text = END_OF_VALUE;
      } else text += `${value ?? NONE}${END_OF_VALUE}`;
    }
    this.sum = (this.sum + crc32(text, crc)) % SUM_END;
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
