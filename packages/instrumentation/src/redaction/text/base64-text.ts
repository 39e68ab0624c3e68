import { isUtf8 } from 'node:buffer';
import { CharacterRuns } from './character-runs.ts';
import { areOfMedia, MEDIA_HEAD_BYTES } from './media-bytes.ts';

/** No key is so short that fewer characters hold one. */
const BASE64_CHARACTERS_MIN = 32;
/** Whole quanta, so that they decode by themselves. */
const HEAD_CHARACTERS = 32;

const ofBase64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-';
const runs = new CharacterRuns(ofBase64, BASE64_CHARACTERS_MIN);

/** What ends a line of base64, also where JSON escapes it. */
const lineEnd = /(?:\r?\n|\\+r\\+n|\\+n)/y;
const lineEnds = /\r?\n|\\+r\\+n|\\+n/g;
const line = /[A-Za-z0-9+/_-]+/y;
const padding = /={1,2}/y;
/** Of an escape, what is read as base64: the last letter of `\n`, `\u003d` behind its backslash, and a slash that is escaped for nothing. */
const escapeRest = /[bfnrt/]|u[0-9A-Fa-f]{4}/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: a text has none of these.
const controlCharacters = /[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f]/;

/** A text that stands in another one as base64. */
export interface Base64Text {
  readonly start: number;
  readonly end: number;
  readonly plain: string;
}

function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

/**
 * Where base64 may end whose first line is this, the furthest place first: mails and the files of code hosts have it in lines, of which only the
 * last may be shorter, and what is shorter may be something else.
 */
function endsOfLines(text: string, from: number, to: number): readonly number[] {
  let end = to;
  for (;;) {
    const start = endOf(lineEnd, text, end);
    const behind = start === end ? start : endOf(line, text, start);
    const own = endOf(padding, text, end);
    if (behind === start || behind - start > to - from) return [own];
    if (behind - start < to - from) return [endOf(padding, text, behind), own];
    end = behind;
  }
}

function isText(bytes: Buffer): boolean {
  return !controlCharacters.test(bytes.toString('latin1'));
}

/** The text that is written so; undefined where it is anything else, which its beginning tells of nearly all. */
function plainOf(written: string): string | undefined {
  if (!isText(Buffer.from(written.slice(0, HEAD_CHARACTERS), 'base64'))) return undefined;
  if (areOfMedia(Buffer.from(written.slice(0, 2 * MEDIA_HEAD_BYTES), 'base64'))) return undefined;
  const bytes = Buffer.from(written.replaceAll(lineEnds, ''), 'base64');
  return isUtf8(bytes) && isText(bytes) ? bytes.toString('utf8') : undefined;
}

/** Finds the texts that stand in another one as base64, from its beginning on. Takes time linear in that one's length. */
class Base64Reader {
  private readonly text: string;
  /** Up to where lines were read together and were no text. */
  private refusedTo = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** What a line between these places begins. Behind a backslash it is what an escape leaves: that of `\n` is a letter of base64, too. */
  in(start: number, to: number): Base64Text | undefined {
    const behind = this.text[start - 1] === '\\' ? endOf(escapeRest, this.text, start) : start;
    return (behind === start ? undefined : this.at(behind, to)) ?? this.at(start, to);
  }

  /** With the lines below it, or alone, as what is below may be something else. */
  private at(start: number, to: number): Base64Text | undefined {
    const own = endOf(padding, this.text, to);
    const ends = start < this.refusedTo ? [own] : endsOfLines(this.text, start, to);
    for (const end of ends) {
      const found = this.between(start, end);
      if (found !== undefined) return found;
    }
    this.refusedTo = Math.max(this.refusedTo, ends[0] ?? own);
    return ends.includes(own) ? undefined : this.between(start, own);
  }

  private between(start: number, end: number): Base64Text | undefined {
    const plain = plainOf(this.text.slice(start, end));
    return plain === undefined ? undefined : { start, end, plain };
  }
}

/** Whether one of the texts that stand in this one as base64 passes a test. Takes time linear in the text's length, the test apart. */
export function someBase64Text(text: string, test: (found: Base64Text) => boolean): boolean {
  const reader = new Base64Reader(text);
  let covered = 0;
  return runs.someRange(text, (start, to) => {
    const found = start < covered ? undefined : reader.in(start, to);
    if (found === undefined) return false;
    covered = found.end;
    return test(found);
  });
}

/** A text as base64, as what stood there was written: in its alphabet, padded or not. Its lines become one. */
export function asBase64(plain: string, before: string): string {
  const written = Buffer.from(plain, 'utf8').toString(/[_-]/.test(before) ? 'base64url' : 'base64');
  return before.endsWith('=') || before.replaceAll(lineEnds, '').length % 4 === 0
    ? written
    : written.replace(/=+$/, '');
}
