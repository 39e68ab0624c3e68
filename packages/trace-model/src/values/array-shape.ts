import { inspect } from 'node:util';
import { hasHiddenMembers } from './value-classes.ts';

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

/** What does not show of any array, and the texts as they are written in those that tagged templates are called with. */
const HIDDEN_OF_ARRAYS: readonly string[] = ['length', 'raw'];

/** Lists of so many items are looked at as Node.js shows them first: to list their names takes longer than to encode them. */
const NAMES_LISTED_MAX = 64;

const withoutItems = {
  showHidden: true,
  maxArrayLength: 0,
  depth: 0,
  customInspect: false,
  getters: false,
  colors: false,
} as const;

/** Whether an array has nothing but its items, by what Node.js shows of it without them: false also where that cannot be told. */
function isShownToBeBare(value: readonly unknown[]): boolean {
  const { length } = value;
  return inspect(value, withoutItems) === `[ ... ${length} more items, [length]: ${length} ]`;
}

/** Whether an array has members that do not show and are not kept. */
export function hasHiddenArrayMembers(value: readonly unknown[]): boolean {
  const { length } = value;
  if (length > NAMES_LISTED_MAX) return !isShownToBeBare(value) && hasHiddenMembers(value, HIDDEN_OF_ARRAYS);
  const names = Object.getOwnPropertyNames(value);
  // Indexes come first, and then the length: where that is the last, there is nothing else.
  if (names.length === length + 1 && names[length] === 'length') return false;
  return hasHiddenMembers(value, HIDDEN_OF_ARRAYS);
}
