import type { JsonLeaf } from '../text/json-leaves.ts';

/** A text of a document that differs from event to event. */
interface Hole {
  /** The leaf's place among the leaves of its document. */
  readonly index: number;
  readonly key: string;
  readonly isNumber: boolean;
}

/** What events of one shape have in common: everything but what stands in the holes. */
export interface EventTemplate {
  /** What stands before each hole, and after the last one; quotes of texts belong to them. */
  readonly between: readonly string[];
  readonly holes: readonly Hole[];
  /** The leaves of the event it was made from, and their keys. */
  readonly leaves: readonly JsonLeaf[];
  readonly keys: readonly string[];
}

/** One event of which a template was made, in the text of all. */
export interface SeenEvent {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly leaves: readonly JsonLeaf[];
  /** Of each leaf, what its stream is called. */
  readonly keys: readonly string[];
}

function templateOf({ text, start, end, leaves, keys }: SeenEvent, isHole: (index: number) => boolean): EventTemplate {
  const between: string[] = [];
  const holes: Hole[] = [];
  let from = start;
  leaves.forEach(({ start: opens, end: closes, isNumber }, index) => {
    if (!isHole(index)) return;
    const quote = isNumber ? 0 : 1;
    between.push(text.slice(from, opens + quote));
    holes.push({ index, key: keys[index] ?? '', isNumber });
    from = closes - quote;
  });
  between.push(text.slice(from, end));
  return { between, holes, leaves, keys };
}

/** A template for an event of a shape of which none was seen before; it fits only the same text. */
export function firstTemplate(event: SeenEvent): EventTemplate {
  return templateOf(event, () => false);
}

/** A template that fits an event and what an older one of the same keys fits, as far as the rest of their texts is equal. */
export function widenedTemplate(known: EventTemplate, event: SeenEvent): EventTemplate {
  const old = new Set(known.holes.map(({ index }) => index));
  return templateOf(event, (index) => old.has(index) || known.leaves[index]?.value !== event.leaves[index]?.value);
}

const numberHere = /-?\d[\d.eE+-]*/y;

function endOfNumber(text: string, from: number): number {
  numberHere.lastIndex = from;
  return numberHere.test(text) ? numberHere.lastIndex : -1;
}

function endOfLiteral(text: string, from: number): number {
  for (let close = text.indexOf('"', from); close >= 0; close = text.indexOf('"', close + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(close - 1 - backslashes) === 92 && close - backslashes > from) backslashes += 1;
    if (backslashes % 2 === 0) return close;
  }
  return -1;
}

function unescaped(literal: string): string | undefined {
  if (!literal.includes('\\')) return literal;
  try {
    return JSON.parse(`"${literal}"`) as string;
  } catch {
    return undefined;
  }
}

/** What stands in the holes where the template fits the event between `start` and `end`; undefined where it does not. */
export function fittedValues(
  { between, holes }: EventTemplate,
  text: string,
  start: number,
  end: number,
): string[] | undefined {
  const values: string[] = [];
  let position = start;
  for (const [index, { isNumber }] of holes.entries()) {
    const before = between[index] ?? '';
    if (!text.startsWith(before, position)) return undefined;
    position += before.length;
    const close = isNumber ? endOfNumber(text, position) : endOfLiteral(text, position);
    if (close < 0 || close > end) return undefined;
    const value = unescaped(text.slice(position, close));
    if (value === undefined) return undefined;
    values.push(value);
    position = close;
  }
  const rest = between[holes.length] ?? '';
  return position + rest.length === end && text.startsWith(rest, position) ? values : undefined;
}
