import { recordSql } from './record-draw.ts';

/** What may stand in a call before one of its parameters: words, texts with brackets in them, other calls, and the beginning of one. Bounded, so that no text takes long. */
const before = String.raw`(?:[^()'"]|'[^']*'|"[^"]*"|\((?:[^()]|\([^()]*\))*\)|\(){0,400}?`;

/** What of SQLite is another each time: its random numbers, and its clock, which functions of time ask where they are given `now`, or no time at all. */
const drawing = new RegExp(
  [
    String.raw`\brandom(?:blob)?\s*\(`,
    String.raw`\bcurrent_(?:time|date|timestamp)\b`,
    String.raw`\b(?:date|time|datetime|julianday|unixepoch|timediff)\s*\((?:\s*\)|${before}['"](?:now|subsec|subsecond)['"])`,
    String.raw`\bstrftime\s*\((?:\s*'[^']*'\s*\)|${before}['"](?:now|subsec|subsecond)['"])`,
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
