import { decodedText } from '../text/decoded-text.ts';
import { secrecyOfName } from '../text/secret-names.ts';
import type { SecretSpan } from './redaction-rule.ts';

/**
 * What JSON may write of characters that need no escape: `\/`, `\u002B`. Which of them are, is up to who writes it. Not of all alphabets: no
 * form of a secret has their characters, and of their texts some writers escape each.
 */
const needlessNumber = /\\u00[0-9A-Fa-f]{2}/;
const anyEscape = /\\(?:["/]|u00[0-9A-Fa-f]{2})/;
/** What begins a line or a column where its end is escaped. */
const lineStart = /\\[nrt][-+<>|* ]{0,4}([A-Za-z0-9_][\w.%+/@-]{0,79}|\+\d)/g;
/** Words that introduce a secret, and what is the form of one or of an address. */
const telling =
  /^(?:[Bb]earer|BEARER|[Bb]asic|curl|mysql|mariadb|sshpass|redis|docker|login|machine|name|[Vv]alue|kind|data|stringData|default|FlyV1|sha256$|eyJ|\d{4}|\+)|@|^.{16}/;
/**
 * Ends of lines, too: what begins a line reads as a part of a longer word where they are escaped. Longest first: `\\u0041` is a backslash,
 * and says no more than that of what follows. Numbers in a row are taken at once: of a file that is padded with zeros there are millions. The bound is that of a match's memory.
 */
const escapes = /\\(?:["\\/nrt]|u00[0-9A-Fa-f]{2}(?:\\u00[0-9A-Fa-f]{2}){0,999})/g;
const NUMBER_CHARACTERS = '\\u0000'.length;
const whiteSpaces: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };
const closingQuote = /(?<!\\)(?:\\\\)*"/;
const closingString = /(?<!\\)(?:\\\\)*"(?=\s{0,40}[,:}\]])/;
const beyondLatin = /[\u0100-\uffff]/g;

/** A text as JSON has it that is ASCII alone, once other escapes are taken back: with small and with capital digits. */
export function beyondLatinEscaped(text: string): string[] {
  const escaped = (digits: (unit: string) => string): string =>
    text.replaceAll(beyondLatin, (unit) => `\\u${digits(unit.charCodeAt(0).toString(16).padStart(4, '0'))}`);
  return [escaped((digits) => digits), escaped((digits) => digits.toUpperCase())];
}

/** Whether a text is, or holds, JSON with escapes that another writer leaves out. */
export function isEscaped(text: string): boolean {
  return text.includes('\\/') || (text.includes('\\u00') && needlessNumber.test(text));
}

function characterOf(written: string): string {
  const [, character = ''] = written;
  return written.length === 2
    ? (whiteSpaces[character] ?? character)
    : String.fromCharCode(Number.parseInt(written.slice(2), 16));
}

function charactersOf(written: string): string {
  return written.length > NUMBER_CHARACTERS ? (JSON.parse(`"${written}"`) as string) : characterOf(written);
}

/** An escaped text as it reads, once: what is escaped twice still is. */
export function unescaped(text: string): string {
  return text.replaceAll(escapes, charactersOf);
}

/**
 * Where a value in quotes ends at the latest: once escapes are taken back, the quote behind a last backslash reads as a part of the value,
 * and with it the JSON around would go.
 */
function endInQuotes(text: string, start: number, end: number): number {
  const closing = text[start - 1] === '"' ? closingQuote : closingString;
  const found = closing.exec(text.slice(start, end));
  return found === null ? end : start + found.index + found[0].length - 1;
}

/**
 * Whether ends of lines that are escaped may hide a secret: as it is written, the letter of the escape is a part of the word behind it. Code is full
 * of them, and to look through all of it once more takes its time.
 */
function hidesLines(text: string): boolean {
  for (const { 1: word = '' } of text.matchAll(lineStart)) {
    if (telling.test(word) || secrecyOfName(word) !== undefined) return true;
  }
  return /form-data/i.test(text);
}

/** The secrets of a text with escapes, given how to find those of a plain one. */
export function escapeSpans(text: string, find: (plain: string) => readonly SecretSpan[]): SecretSpan[] {
  if (!text.includes('\\') || !(anyEscape.test(text) || hidesLines(text))) return [];
  const { plain, placeOf } = decodedText(text, escapes, charactersOf);
  return find(plain).map(({ start: from, end: to, rule, inBase64, secret = plain.slice(from, to) }) => {
    const [start, whole] = [placeOf(from), placeOf(to)];
    if (inBase64 !== undefined) return { start, end: whole, rule, inBase64 };
    const end = rule === 'named-value' ? endInQuotes(text, start, whole) : whole;
    return { start, end, rule, secret: end === whole ? secret : unescaped(text.slice(start, end)) };
  });
}
