/** A text inside of JSON, which may be cut off before its end. */
const TEXT = /"((?:[^"\\]|\\.)*)("|\\?$)/gs;

/**
 * A JSON value, for reading only: a text in it that holds an object or a list stands in its quotation marks as it would by itself, and so does one
 * inside of that. What begins in the middle of a value stays as it is, because nothing says where its texts begin.
 */
export function unescapedJson(value: string): string {
  if (value.startsWith('…')) return value;
  return value.replace(TEXT, (whole, inner: string, end: string) =>
    /^\s*[[{]/.test(inner) ? `"${unescapedJson(inner.replace(/\\(["\\])/g, '$1'))}${end}` : whole,
  );
}
