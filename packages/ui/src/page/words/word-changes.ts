import { diffWordsWithSpace } from 'diff';

/** A piece of two texts: in both, or in one of them. */
export interface WordChange {
  readonly text: string;
  readonly side: 'both' | 'before' | 'after';
}

/** Longer texts are shown as they are: nobody reads the difference of more, and finding it takes the square of their words. */
const CHARACTERS_MAX = 20_000;

/** Texts that differ in more words are two texts. */
const WORDS_CHANGED_MAX = 400;

/** Of texts that have less in common, pieces tell less than both. */
const SHARE_SAME_MIN = 0.4;

/** Two texts word by word; undefined where they have too little in common, or are too long. */
export function wordChanges(before: string, after: string): readonly WordChange[] | undefined {
  if (Math.max(before.length, after.length) > CHARACTERS_MAX) return undefined;
  const found = diffWordsWithSpace(before, after, { maxEditLength: WORDS_CHANGED_MAX });
  const same = found?.reduce((sum, { added, removed, value }) => sum + (added || removed ? 0 : value.length), 0) ?? 0;
  if (found === undefined || same < SHARE_SAME_MIN * Math.max(before.length, after.length)) return undefined;
  return found.map(({ value, added, removed }) => ({
    text: value,
    side: added ? 'after' : removed ? 'before' : 'both',
  }));
}
