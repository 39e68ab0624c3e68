import { decodedText } from '../text/decoded-text.ts';
import type { SecretSpan } from './redaction-rule.ts';

/** Characters that HTML and XML write as numbers: of ASCII, all but the backslash, which would hide where JSON around ends. */
const numeric =
  /&#(?:0{0,4}(?:3[2-9]|[4-8]\d|9[013-9]|1[01]\d|12[0-6])|[xX]0{0,4}(?:[2-46-7][\dA-Fa-f]|5[\dABD-Fabd-f]));/;
const entities = new RegExp(`${numeric.source}|&(?:amp|lt|gt|quot|apos);`, 'g');
const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Whether a text has characters as HTML writes them that needs no more than their number. */
export function hasEntities(text: string): boolean {
  return text.includes('&#') && numeric.test(text);
}

function characterOf(entity: string): string {
  if (entity[1] !== '#') return named[entity.slice(1, -1)] ?? entity;
  const isHex = /[xX]/.test(entity[2] ?? '');
  return String.fromCharCode(Number.parseInt(entity.slice(isHex ? 3 : 2, -1), isHex ? 16 : 10));
}

/** A text as HTML shows it, once. */
export function withoutEntities(text: string): string {
  return text.replaceAll(entities, characterOf);
}

/** The secrets of a text with characters that are written as numbers, given how to find those of a plain one. */
export function entitySpans(text: string, find: (plain: string) => readonly SecretSpan[]): SecretSpan[] {
  if (!hasEntities(text)) return [];
  const { plain, placeOf } = decodedText(text, entities, characterOf);
  return find(plain).map(({ secret, ...span }) => ({
    ...span,
    start: placeOf(span.start),
    end: placeOf(span.end),
    ...(span.inBase64 === undefined ? { secret: secret ?? plain.slice(span.start, span.end) } : {}),
  }));
}
