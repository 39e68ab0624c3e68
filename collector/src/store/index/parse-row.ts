import { damagedIndex } from '../store-error.ts';

/** What a row of the index holds as JSON. Throws what SQLite throws of a damaged database where it cannot be read: such an index can be made again. */
export function parseRow(text: unknown, what: string): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    // What the platform says of it quotes it: content that was recorded has no place in a log.
    throw damagedIndex(`${what} cannot be read`);
  }
}
