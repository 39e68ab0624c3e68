import type { JsonLeaf } from '../text/json-leaves.ts';
import { secrecyOfName } from '../text/secret-names.ts';

/** An option with its value in the same word, or a variable set for a command. */
const oneWord = /^(?:--?([A-Za-z][A-Za-z0-9_.-]{1,79})|([A-Z][A-Z0-9_]{1,79}))=/;

/** An option that takes a secret, and where that begins. */
export interface SecretOption {
  readonly name: string;
  readonly start: number;
}

/** Whether a text stands in a list, where a command line has its words. */
export function isItem({ steps }: Pick<JsonLeaf, 'steps'>): boolean {
  return /^\d+$/.test(steps.at(-1) ?? '');
}

/** The option that a word of a command line begins with, `--api-key=…`, where its name says that it takes a secret. */
export function secretOption(word: string): SecretOption | undefined {
  const [whole = '', option, variable] = oneWord.exec(word) ?? [];
  const name = option ?? variable;
  return name === undefined || secrecyOfName(name) !== 'secret' ? undefined : { name, start: whole.length };
}
