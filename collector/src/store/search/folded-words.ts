import { isAscii } from 'node:buffer';
import { ReenactError } from '@reenact/trace-model/reenact-error';

/** Scripts that are written without spaces: each character counts as a word, and a word of them as a phrase. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is what ASCII is not.
const BEYOND_ASCII = /[^\x00-\x7f]+/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII without letters and digits.
const ASCII_SEPARATORS = /[\x00-\x2f\x3a-\x60\x7b-\x7f]+/g;
/** The only letter whose lower case depends on what stands around it. */
const FINAL_SIGMA = 'Σ';

/**
 * Text as the search table takes it: its words in order without case and accents, separated by single spaces. What the table
 * holds can only be taken out again by the same words, so this must never give others for a text than it did.
 */
export function foldWords(text: string): string {
  // Regular expressions over all of Unicode are slow, and in most texts few characters need them.
  const plain = text.includes(FINAL_SIGMA) ? foldBeyondAscii(text) : text.replace(BEYOND_ASCII, foldBeyondAscii);
  return plain.toLowerCase().replace(ASCII_SEPARATORS, ' ').trim();
}

function foldBeyondAscii(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .replace(UNSPACED, ' $& ');
}

const SPACE = 0x20;

/** What each byte of folded UTF-8 is: the letter or digit in lower case, the byte itself beyond ASCII, a space for what separates. */
const FOLDED_BYTES = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte > 0x7f) return byte;
  const character = String.fromCharCode(byte);
  return /[0-9A-Za-z]/.test(character) ? character.toLowerCase().charCodeAt(0) : SPACE;
});

/** The same of a whole text in UTF-8, several times faster where most of it is ASCII. */
export function foldBytes(text: Buffer): Uint8Array<ArrayBuffer> {
  if (isAscii(text)) return foldAsciiBytes(text);
  const decoded = text.toString();
  const plain = decoded.includes(FINAL_SIGMA)
    ? foldBeyondAscii(decoded)
    : decoded.replace(BEYOND_ASCII, foldBeyondAscii);
  return foldAsciiBytes(Buffer.from(plain));
}

function foldAsciiBytes(text: Buffer): Uint8Array<ArrayBuffer> {
  const words = new Uint8Array(text.length);
  let length = 0;
  let last = SPACE;
  for (let at = 0; at < text.length; at += 1) {
    const folded = FOLDED_BYTES[text[at] as number] as number;
    words[length] = folded;
    // A space behind a space is written over by what follows; without a branch, which in prose nobody can predict.
    length += (((folded ^ SPACE) | (last ^ SPACE)) + 0xff) >> 8;
    last = folded;
  }
  return words.subarray(0, last === SPACE ? Math.max(length - 1, 0) : length);
}

/** Words that must follow each other. */
export interface SoughtPhrase {
  /** Folded. */
  readonly words: readonly string[];
  /** The last word is only the beginning of one. */
  readonly isBeginning: boolean;
}

/**
 * What a text that somebody typed asks for: words, `"phrases"` and `beginnings*`; everything else in it only separates. Throws
 * ReenactError `bad-request` when there is no word in it.
 */
export function readSought(text: string): SoughtPhrase[] {
  const pieces = [...text.matchAll(/"([^"]*)"?|([^\s"]+)/g)];
  const phrases = pieces.flatMap(([, quoted, bare]): SoughtPhrase[] => {
    const folded = foldWords(quoted ?? bare ?? '');
    if (folded === '') return [];
    return [{ words: folded.split(' '), isBeginning: bare?.endsWith('*') === true }];
  });
  if (phrases.length > 0) return phrases;
  throw new ReenactError('bad-request', 'There is no word to look for.', {
    where: 'text',
    next: 'Give words, "phrases" or beginnings*; everything else in the text is passed over.',
  });
}

/** The same as an expression of FTS5, which knows no operator in it but those written here. */
export function matchExpression(phrases: readonly SoughtPhrase[]): string {
  return phrases.map(({ words, isBeginning }) => `"${words.join(' ')}"${isBeginning ? ' *' : ''}`).join(' AND ');
}
