import { CharacterRuns } from '../text/character-runs.ts';

/** How many characters a word has at least to be a long one: no key with a form of its own is shorter. */
export const LONG_WORD_CHARACTERS_MIN = 16;

const ofWords = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.~+/:=-';

/** The long words of a text. */
export const longWords = new CharacterRuns(ofWords, LONG_WORD_CHARACTERS_MIN);
