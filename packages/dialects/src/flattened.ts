import type { PlainValue } from '@reenact/otlp';
import type { Attributes } from './attributes.ts';
import { FLATTENED_INDEX_MAX } from './limits.ts';

/** A list that was written as one attribute for each member of each item: `<prefix>.<index>.<member>`. */
export interface FlattenedList {
  /** In the order of their indices. Members are found by the rest of their key. */
  readonly items: readonly Attributes[];
  /** Indices that lie between those that are there, or beyond what is read. */
  readonly isWhole: boolean;
}

/** The index at the start of a key's rest, and what follows it; undefined where there is none. */
function splitIndex(rest: string): readonly [index: number, member: string] | undefined {
  const dot = rest.indexOf('.');
  const digits = dot === -1 ? rest : rest.slice(0, dot);
  return /^\d+$/.test(digits) ? [Number(digits), dot === -1 ? '' : rest.slice(dot + 1)] : undefined;
}

/** Puts a flattened list together. Memory grows with what is there, never with the indices: a gap takes no room. */
export function flattened(attributes: Attributes, prefix: string): FlattenedList {
  const items = new Map<number, Map<string, PlainValue>>();
  const start = `${prefix}.`;
  let isWhole = true;
  for (const [key, value] of attributes) {
    if (!key.startsWith(start)) continue;
    const split = splitIndex(key.slice(start.length));
    if (split === undefined) continue;
    const [index, member] = split;
    if (index > FLATTENED_INDEX_MAX) {
      isWhole = false;
      continue;
    }
    const item = items.get(index) ?? new Map<string, PlainValue>();
    items.set(index, item.set(member, value));
  }
  const indices = [...items.keys()].sort((left, right) => left - right);
  const last = indices.at(-1) ?? -1;
  return { items: indices.map((index) => items.get(index) ?? new Map()), isWhole: isWhole && last + 1 === items.size };
}
