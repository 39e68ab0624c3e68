import { ReenactError } from '@reenact/trace-model/reenact-error';
import { foldWords } from './folded-words.ts';

/** Words that must follow each other. */
export interface SoughtPhrase {
  /** Folded, each as `comparedWord` has it. */
  readonly words: readonly string[];
  /** The last word is only the beginning of one. */
  readonly isBeginning: boolean;
}

/** A word as it is compared: the sharp s of German and the two letters that stand for it are one. */
export function comparedWord(folded: string): string {
  return folded.replaceAll('ß', 'ss');
}

/** Words of Korean carry their endings, as others have words of their own for: who types one looks for it with any of them. */
const ENDS_IN_HANGUL = /\p{Script=Hangul}$/u;

/**
 * What a text that somebody typed asks for: words, `"phrases"` and `beginnings*`; everything else in it only separates. Throws
 * ReenactError `bad-request` when there is no word in it.
 */
export function readSought(text: string): SoughtPhrase[] {
  const pieces = [...text.matchAll(/"([^"]*)"?|([^\s"]+)/g)];
  const phrases = pieces.flatMap(([, quoted, bare]): SoughtPhrase[] => {
    const folded = foldWords(quoted ?? bare ?? '');
    if (folded === '') return [];
    const isBeginning = bare !== undefined && (bare.endsWith('*') || ENDS_IN_HANGUL.test(folded));
    return [{ words: comparedWord(folded).split(' '), isBeginning }];
  });
  if (phrases.length > 0) return phrases;
  throw new ReenactError('bad-request', 'There is no word to look for.', {
    where: 'text',
    next: 'Give words, "phrases" or beginnings*; everything else in the text is passed over.',
  });
}

/** Places of a phrase at which a sharp s may stand, beyond which it is taken to stand at all of them or at none. */
const SHARP_PLACES_MAX = 3;

/** Everything that a phrase may be written as in a store, where words are as they were written but for case and accents. */
function spellingsOf(phrase: string): string[] {
  const pieces = phrase.split('ss');
  const places = pieces.length - 1;
  if (places > SHARP_PLACES_MAX) return [pieces.join('ss'), pieces.join('ß')];
  return Array.from({ length: 2 ** places }, (_, choice) =>
    pieces
      .map((piece, place) => (place === 0 ? piece : `${(choice >> (place - 1)) & 1 ? 'ß' : 'ss'}${piece}`))
      .join(''),
  );
}

/** The same as an expression of FTS5, which knows no operator in it but those written here. */
export function matchExpression(phrases: readonly SoughtPhrase[]): string {
  const expressions = phrases.map(({ words, isBeginning }) => {
    const whole = spellingsOf(words.join(' '));
    // The sharp s that a beginning ends in the middle of.
    const cut = isBeginning
      ? whole.flatMap((spelling) => (/[^s]s$/.test(spelling) ? spelling.replace(/s$/, 'ß') : []))
      : [];
    const spellings = [...whole, ...cut].map((spelling) => `"${spelling}"${isBeginning ? ' *' : ''}`);
    return spellings.length === 1 ? spellings[0] : `(${spellings.join(' OR ')})`;
  });
  return expressions.join(' AND ');
}
