/** What an array holds beside its items in a row. */
export interface ArrayShape {
  /** The indexes that are there, in ascending order. */
  readonly indexes: readonly number[];
  /** Names of what else is there, such as `groups` of what a regular expression matched. */
  readonly members: readonly string[];
}

function isIndex(key: string, length: number): boolean {
  const index = Number(key);
  return Number.isInteger(index) && index >= 0 && index < length && String(index) === key;
}

/** The shape of an array with holes or with members of its own; undefined for any other, which nearly all are. */
export function unusualShape(value: readonly unknown[]): ArrayShape | undefined {
  const keys = Object.keys(value);
  const { length } = value;
  // Indexes come first and in ascending order: as many keys as items, of which the last is the last index, are all of them.
  if (keys.length === length && (length === 0 || keys.at(-1) === String(length - 1))) return undefined;
  const indexes = keys.filter((key) => isIndex(key, length));
  return { indexes: indexes.map(Number), members: keys.filter((key) => !isIndex(key, length)) };
}
