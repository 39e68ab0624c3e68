/** What may stand in a call before one of its parameters: words, texts with brackets in them, other calls, and the beginning of one. Bounded, so that no text takes long. */
const before = String.raw`(?:[^()'"]|'[^']*'|"[^"]*"|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)|\(){0,400}?`;

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

/** What makes a time of a text that it is given. */
const timeFunction = /\b(?:date|time|datetime|julianday|unixepoch|timediff|strftime)\s*\(/i;
const now = /^(?:now|subsec|subsecond)$/i;

function isNow(value: unknown): boolean {
  return typeof value === 'string' && value.length <= 'subsecond'.length && now.test(value);
}

/** Whether this text of SQL asks SQLite for a random number or the time. */
export function drawsInSql(text: string): boolean {
  return drawing.test(text);
}

/** Whether a function of time in this text may be given `now` by one of the parameters: alone, or in a list or an object. */
export function bindsNow(text: string, parameters: readonly unknown[]): boolean {
  const isGiven = parameters.some((given) => isNow(given) || (isBinding(given) && Object.values(given).some(isNow)));
  return isGiven && timeFunction.test(text);
}

/** Whether a statement of this text has a parameter, and a function of time that may be given it. */
export function mayBindNow(text: string): boolean {
  return timeFunction.test(text) && /[?:@$]/.test(text);
}

function isBinding(given: unknown): given is object {
  return typeof given === 'object' && given !== null && !ArrayBuffer.isView(given);
}
