import { recordSql } from './record-draw.ts';

/** What of SQLite is another each time: its random numbers, and its clock, which functions of time ask where they are given `now`, or no time at all. */
const drawing = new RegExp(
  [
    String.raw`\brandom(?:blob)?\s*\(`,
    String.raw`\bcurrent_(?:time|date|timestamp)\b`,
    String.raw`\b(?:date|time|datetime|julianday|unixepoch|timediff)\s*\((?:\s*\)|[^()]*['"](?:now|subsec|subsecond)['"])`,
    String.raw`\bstrftime\s*\((?:\s*'[^']*'\s*\)|[^()]*['"](?:now|subsec|subsecond)['"])`,
  ].join('|'),
  'i',
);

/** Whether this text of SQL asks SQLite for a random number or the time. */
export function drawsInSql(text: unknown): text is string {
  return typeof text === 'string' && drawing.test(text);
}

/** Marks the run around this call, which runs such a text by a database that nobody wrapped: what it gives there is no draw of JavaScript. Never throws. */
export function recordSqlDraws(text: unknown): void {
  recordSql(() => drawsInSql(text));
}
