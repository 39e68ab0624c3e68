import type { SecretSpan } from './redaction-rule.ts';

const encodedByte = /%[0-9A-Fa-f]{2}/;
const everyEncodedByte = /%[0-9A-Fa-f]{2}/g;
/** What a component of an address is made of; `=`, `&`, `?` and white space end it. */
const component = /[A-Za-z0-9_.~!*'()+%:@$,;/-]+/g;

/** Whether a text holds percent-encoded bytes. */
export function isPercentEncoded(text: string): boolean {
  return text.includes('%') && encodedByte.test(text);
}

interface Decoded {
  readonly text: string;
  /** Where in the encoded text each character begins, and where the last one ends. */
  readonly offsets: readonly number[];
}

/** One character per byte that is encoded: what secrets are made of is ASCII. */
function decoded(encoded: string): Decoded {
  const offsets: number[] = [];
  let text = '';
  for (let index = 0; index < encoded.length; ) {
    offsets.push(index);
    const byte = encoded[index] === '%' ? encoded.slice(index, index + 3) : '';
    if (!encodedByte.test(byte)) {
      text += encoded[index] === '+' ? ' ' : encoded[index];
      index += 1;
    } else {
      text += String.fromCharCode(Number.parseInt(byte.slice(1), 16));
      index += 3;
    }
  }
  offsets.push(encoded.length);
  return { text, offsets };
}

/** A percent-encoded text as it reads, for a first look. */
export function percentDecoded(text: string): string {
  return text
    .replaceAll('+', ' ')
    .replaceAll(everyEncodedByte, (byte) => String.fromCharCode(Number.parseInt(byte.slice(1), 16)));
}

/** The secrets of the percent-encoded components of a text, given how to find those of a plain one. */
export function percentSpans(text: string, find: (plain: string) => readonly SecretSpan[]): SecretSpan[] {
  if (!isPercentEncoded(text)) return [];
  const spans: SecretSpan[] = [];
  for (const { index, 0: found } of text.matchAll(component)) {
    if (!encodedByte.test(found)) continue;
    const { text: plain, offsets } = decoded(found);
    for (const { start, end, rule } of find(plain)) {
      spans.push({
        start: index + (offsets[start] ?? 0),
        end: index + (offsets[end] ?? found.length),
        rule,
        secret: plain.slice(start, end),
      });
    }
  }
  return spans;
}
