import { closestName } from './closest-name.ts';
import { MEANT_NAMES_MAX, MEANT_WORD_CHARACTERS_MIN } from './limits.ts';

/** The words of a name: those of `httpPort`, `HTTP_PORT` and `http.port` are the same. */
function wordsOf(name: string): string[] {
  const words = name.split(/(?<=[a-z\d])(?=[A-Z])|[\s_.-]+/);
  return words.filter((word) => word !== '').map((word) => word.toLowerCase());
}

function hasWords(name: string, wanted: readonly string[]): boolean {
  const words = wordsOf(name);
  return words.some((_, first) => wanted.every((word, index) => words[first + index]?.startsWith(word) === true));
}

/**
 * The names a reader most likely meant: the few that have the written words among theirs, as `httpPort` and `grpcPort` have `port`, else the one
 * that is close. None where nothing is near.
 */
export function meantNames(text: string, names: Iterable<string>): string[] {
  const known = [...names];
  const words = wordsOf(text);
  const withWords =
    words.join('').length < MEANT_WORD_CHARACTERS_MIN ? [] : known.filter((name) => hasWords(name, words));
  if (withWords.length > 0 && withWords.length <= MEANT_NAMES_MAX) return withWords;
  const close = closestName(text, known);
  return close === undefined ? [] : [close];
}
