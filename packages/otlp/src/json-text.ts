const LONG_INTEGER = /[:,[]\s*-?\d{16}/;

/** The part of a SyntaxError's message that quotes the text, which may be anything that was recorded. */
const EXCERPT = /, (?:\.{3})?".*$/s;

type Reviver = (this: unknown, key: string, value: unknown, context?: { source?: string }) => unknown;

/** Keeps an integer that a JavaScript number cannot hold as its decimal text. */
const keepLongIntegers: Reviver = (_key, value, context) => {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const source = context?.source;
  return source !== undefined && /^-?\d+$/.test(source) ? source : value;
};

/** Whether a plain parse of a JSON text may round an integer. */
export function holdsLongInteger(text: string): boolean {
  return LONG_INTEGER.test(text);
}

/**
 * Parses JSON text, giving integers beyond 2^53 as decimal strings instead of rounding them. The slower exact way is
 * taken only where the text holds a long integer.
 */
export function parseJsonExact(text: string): { ok: true; value: unknown } | { ok: false; reason: string } {
  try {
    const value: unknown = holdsLongInteger(text) ? JSON.parse(text, keepLongIntegers as never) : JSON.parse(text);
    return { ok: true, value };
  } catch (thrown) {
    return { ok: false, reason: thrown instanceof Error ? thrown.message.replace(EXCERPT, '') : String(thrown) };
  }
}
