import { PRIVATE_KEY_CHARACTERS_MAX } from '../limits.ts';
import type { SecretSpan } from './redaction-rule.ts';

const beginning = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const ending = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;

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
    const end = known !== undefined && known <= limit ? known : endOfCut(text, start + found.length, limit);
    spans.push({ start, end, rule: 'private-key' });
    covered = end;
  }
  return spans;
}

const inside = /[A-Za-z0-9+/=\s\\:,-]*/y;

function endOfCut(text: string, from: number, limit: number): number {
  inside.lastIndex = from;
  inside.exec(text);
  return Math.min(Math.max(inside.lastIndex, from), limit, text.length);
}
