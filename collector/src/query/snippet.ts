import { offPair } from '@reenact/trace-model/words';
import { foldWords } from '../store/search/folded-words.ts';
import { comparedWord, type SoughtPhrase } from '../store/search/sought-phrases.ts';
import { SNIPPET_CHARACTERS_AROUND } from './limits.ts';

/** One word of a text: where it stands, and the word it counts as. */
interface PlacedWord {
  readonly start: number;
  readonly end: number;
  readonly compared: string;
}

/** A piece of a text, and whether it is what was sought. */
export interface SnippetPiece {
  readonly text: string;
  readonly isMatch: boolean;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

function placedWords(text: string): PlacedWord[] {
  const pieces = text.matchAll(
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]\p{M}*|[\p{L}\p{N}\p{M}]+/gu,
  );
  return [...pieces].flatMap(({ 0: word, index }) =>
    // A word in which scripts meet counts as several, all of which stand where it stands.
    foldWords(word)
      .split(' ')
      .filter((folded) => folded !== '')
      .map((folded) => ({ start: index, end: index + word.length, compared: comparedWord(folded) })),
  );
}

function matchesAt(words: readonly PlacedWord[], from: number, { words: sought, isBeginning }: SoughtPhrase): boolean {
  return sought.every((word, offset) => {
    const found = words[from + offset]?.compared;
    const isLast = offset === sought.length - 1;
    return isBeginning && isLast ? found?.startsWith(word) === true : found === word;
  });
}

function rangesOf(words: readonly PlacedWord[], phrases: readonly SoughtPhrase[]): Range[] {
  return words.flatMap((word, from) => {
    const phrase = phrases.find((sought) => matchesAt(words, from, sought));
    if (phrase === undefined) return [];
    return [{ start: word.start, end: words[from + phrase.words.length - 1]?.end ?? word.end }];
  });
}

/**
 * The surroundings of the first place in a text where one of these phrases stands, in pieces, white space made narrow; undefined
 * where none does.
 */
export function snippetOf(text: string, phrases: readonly SoughtPhrase[]): SnippetPiece[] | undefined {
  const ranges = rangesOf(placedWords(text), phrases);
  const [first] = ranges;
  if (first === undefined) return undefined;
  const from = offPair(text, Math.max(0, first.start - SNIPPET_CHARACTERS_AROUND));
  const to = offPair(text, Math.min(text.length, first.end + SNIPPET_CHARACTERS_AROUND));
  const pieces: SnippetPiece[] = [];
  const add = (piece: string, isMatch: boolean) => {
    const narrow = piece.replaceAll(/\s+/g, ' ');
    if (narrow !== '') pieces.push({ text: narrow, isMatch });
  };
  if (from > 0) add('…', false);
  let at = from;
  for (const { start, end } of ranges) {
    if (start < at || end > to) continue;
    add(text.slice(at, start), false);
    add(text.slice(start, end), true);
    at = end;
  }
  add(text.slice(at, to), false);
  if (to < text.length) add('…', false);
  return pieces;
}

/** How many of these phrases a text has: where the most are, most is said. */
export function countFound(text: string, phrases: readonly SoughtPhrase[]): number {
  const words = placedWords(text);
  return phrases.filter((phrase) => words.some((_, from) => matchesAt(words, from, phrase))).length;
}
