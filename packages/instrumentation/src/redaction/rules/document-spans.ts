import { type JsonLeaf, jsonLeaves } from '../text/json-leaves.ts';
import type { SecretSpan } from './redaction-rule.ts';

const documentStart = /^[ \t\n\r]*[{[]/;

/** Whether a text may be a JSON document with members or items. */
export function beginsDocument(text: string): boolean {
  return documentStart.test(text);
}

/** Where each character of a decoded text begins in the literal it is written as, and where the literal ends. */
function writtenOffsets(literal: string, length: number): (offset: number) => number {
  if (!literal.includes('\\')) return (offset) => offset;
  const offsets = new Uint32Array(length + 1);
  let at = 0;
  for (let index = 0; index < length; index += 1) {
    offsets[index] = at;
    if (literal[at] !== '\\') at += 1;
    else at += literal[at + 1] === 'u' ? 6 : 2;
  }
  offsets[length] = at;
  return (offset) => offsets[offset] ?? at;
}

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function writtenSpans(text: string, leaf: JsonLeaf, spans: readonly SecretSpan[]): SecretSpan[] {
  if (leaf.isNumber) {
    // A number becomes a text, as everywhere: nothing else can say what stood here.
    return spans.map(({ rule, secret = leaf.value }) => ({
      start: leaf.start,
      end: leaf.end,
      rule,
      secret,
      quote: '"',
    }));
  }
  const first = leaf.start + 1;
  const at = writtenOffsets(text.slice(first, leaf.end - 1), leaf.value.length);
  return spans.map(({ start, end, rule, quote, inBase64, secret = leaf.value.slice(start, end) }) => ({
    start: first + at(start),
    end: first + at(end),
    rule,
    ...(inBase64 === undefined ? { secret } : { inBase64 }),
    ...(quote === undefined ? {} : { quote: escaped(quote) }),
  }));
}

/**
 * What a search finds in the leaves of a text that is a JSON document, as spans of the text as it is written; none in any other text.
 * `search` gives spans of the leaf's value; of a number the whole is meant. Takes time linear in the text's length, the search apart.
 */
export function documentSpans(text: string, search: (leaf: JsonLeaf) => readonly SecretSpan[]): SecretSpan[] {
  const leaves = beginsDocument(text) ? jsonLeaves(text) : undefined;
  return (leaves ?? []).flatMap((leaf) => {
    const spans = search(leaf);
    return spans.length === 0 ? [] : writtenSpans(text, leaf, spans);
  });
}
