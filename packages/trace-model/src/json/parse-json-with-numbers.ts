type Reviver = (this: unknown, key: string, value: unknown, context?: { readonly source?: string }) => unknown;

/** Keeps a number that a double cannot hold as its text, tagged, so that it equals nothing but itself. */
const keepNumbers: Reviver = (_key, value, context) => {
  const source = context?.source;
  if (typeof value !== 'number' || source === undefined || source === String(value)) return value;
  if (!/\d{16}/.test(source)) return value;
  return { $: /^-?\d+$/.test(source) ? 'bigint' : 'decimal', value: source };
};

/**
 * JSON text as a tree in which numbers of more digits than a double holds are `{ $: 'bigint' | 'decimal', value }`. Undefined where the
 * text itself has a member `$`, which could not be told from that. Throws as `JSON.parse` does.
 */
export function parseJsonWithNumbers(text: string): unknown {
  let hasTag = false;
  const tree = JSON.parse(text, function (this: unknown, ...entry: Parameters<Reviver>) {
    hasTag ||= entry[0] === '$';
    return keepNumbers.apply(this, entry);
  } as never) as unknown;
  return hasTag ? undefined : tree;
}
