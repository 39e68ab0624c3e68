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
