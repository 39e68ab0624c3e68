import { PRIVATE_KEY_CHARACTERS_MAX } from '../../limits.ts';
import type { SecretSpan } from './redaction-rule.ts';

const beginning = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const ending = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;

/** What a key has none of, but where its lines are printed with colours or a comment of brackets. */
const betweenTexts = /[()[\]{}<>]|"\s{0,40}[:,]/;
const lineOfKey = /[A-Za-z0-9+/]{40}/;

/** Whether what stands between the first and the last line is a key: code and lists of matches have both lines, each in a text of its own. */
function isKey(between: string): boolean {
  // Looking for lines no further than to the next key keeps a text of nothing but first lines from taking quadratic time.
  return !betweenTexts.test(between) || lineOfKey.test(between.split('-----BEGIN ', 1)[0] ?? '');
}

const escapedCharacter = /\\+([nrt"])/g;
const lineBreaks: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/** A key as it reads, however deep in JSON it stands: whoever hands it on writes its lines as he likes, and it stays the same key. */
function readKey(written: string): string {
  if (!written.includes('\\')) return written;
  return written.replaceAll(escapedCharacter, (_, character: string) => lineBreaks[character] ?? character);
}

/** Private keys in PEM, with line breaks as they are or escaped; one whose end is missing is one up to where it stops. */
export function privateKeySpans(text: string): SecretSpan[] {
  if (!text.includes('PRIVATE KEY')) return [];
  const ends = Array.from(text.matchAll(ending), ({ index, 0: found }) => index + found.length);
  const spans: SecretSpan[] = [];
  let nextEnd = 0;
  let covered = 0;
  for (const { index: start, 0: found } of text.matchAll(beginning)) {
    if (start < covered) continue;
    while ((ends[nextEnd] ?? Number.POSITIVE_INFINITY) <= start) nextEnd += 1;
    const known = ends[nextEnd];
    const limit = start + PRIVATE_KEY_CHARACTERS_MAX;
    const first = start + found.length;
    const isNear = known !== undefined && known <= limit;
    const isWhole = isNear && isKey(text.slice(first, known));
    const end = isWhole ? known : endOfCut(text, first, limit);
    spans.push({ start, end, rule: 'private-key', secret: readKey(text.slice(start, end)) });
    covered = end;
  }
  return spans;
}

/** Of backslashes those that escape what a key has: another may belong to the quote that ends the text of JSON which the key is in. */
const inside = /^(?:[A-Za-z0-9+/=\s:,-]|\\{1,15}[nrtu/])*/;

function endOfCut(text: string, from: number, limit: number): number {
  return from + (inside.exec(text.slice(from, limit))?.[0].length ?? 0);
}
