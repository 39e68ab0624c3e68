import type { SecretSpan, SecretsInBase64 } from './redaction-rule.ts';

const encodedByte = /%[0-9A-Fa-f]{2}/;
const encodedBytes = /(?:%[0-9A-Fa-f]{2})+/g;
/** What a component of an address is made of, escaped or not; `=`, `&`, `?` and white space end it. */
const component = /[A-Za-z0-9_.~!*'()+%:@$,;/\u0080-\uffff-]+/g;

/** Whether a text holds percent-encoded bytes. */
export function isPercentEncoded(text: string): boolean {
  return text.includes('%') && encodedByte.test(text);
}

interface Decoded {
  readonly text: string;
  /** Where in the encoded text each character begins, and where the last one ends. */
  readonly offsets: readonly number[];
}

/** How many bytes a character of UTF-8 has whose first is this one. */
function bytesAfter(lead: number): number {
  if (lead < 0xc2 || lead > 0xf4) return 1;
  return lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

/** The character that a run of encoded bytes has at `at`, and how much of the run it takes: a byte that is no UTF-8 stands for one. */
function characterAt(run: string, at: number): { readonly character: string; readonly length: number } {
  const lead = Number.parseInt(run.slice(at + 1, at + 3), 16);
  const length = 3 * bytesAfter(lead);
  if (length > 3 && at + length <= run.length) {
    const character = Buffer.from(run.slice(at, at + length).replaceAll('%', ''), 'hex').toString('utf8');
    if (!character.includes('\ufffd')) return { character, length };
  }
  return { character: String.fromCharCode(lead), length: 3 };
}

function decoded(encoded: string): Decoded {
  const offsets: number[] = [];
  let text = '';
  let position = 0;
  const plain = (end: number): void => {
    for (; position < end; position += 1) {
      offsets.push(position);
      text += encoded[position] === '+' ? ' ' : encoded[position];
    }
  };
  for (const { index, 0: run } of encoded.matchAll(encodedBytes)) {
    plain(index);
    while (position < index + run.length) {
      const { character, length } = characterAt(run, position - index);
      // Both halves of a surrogate pair begin where their character does.
      for (let unit = 0; unit < character.length; unit += 1) offsets.push(position);
      text += character;
      position += length;
    }
  }
  plain(encoded.length);
  offsets.push(encoded.length);
  return { text, offsets };
}

/** A percent-encoded text as it reads, for a first look and for a token: bytes that are no UTF-8 stand for a character each. */
export function percentDecoded(text: string): string {
  return text.replaceAll('+', ' ').replaceAll(encodedBytes, (run) => {
    let characters = '';
    for (let at = 0; at < run.length; ) {
      const { character, length } = characterAt(run, at);
      characters += character;
      at += length;
    }
    return characters;
  });
}

function percentEncoded({ written, ...found }: SecretsInBase64): SecretsInBase64 {
  return { ...found, written: (plain) => encodeURIComponent(written(plain)) };
}

/** The secrets of the percent-encoded components of a text, given how to find those of a plain one. */
export function percentSpans(text: string, find: (plain: string) => readonly SecretSpan[]): SecretSpan[] {
  if (!isPercentEncoded(text)) return [];
  const spans: SecretSpan[] = [];
  for (const { index, 0: found } of text.matchAll(component)) {
    if (!encodedByte.test(found)) continue;
    const { text: plain, offsets } = decoded(found);
    for (const { start, end, rule, inBase64, secret = plain.slice(start, end) } of find(plain)) {
      const place = { start: index + (offsets[start] ?? 0), end: index + (offsets[end] ?? found.length), rule };
      spans.push({ ...place, ...(inBase64 === undefined ? { secret } : { inBase64: percentEncoded(inBase64) }) });
    }
  }
  return spans;
}
