const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const hexadecimal = /^(?:[0-9a-f]+|[0-9A-F]+)$/;
/** A part between hyphens or underscores that people write: a word, in small letters or in capitals. */
const wordBetween = /(?:^|[-_])(?:[A-Z]?[a-z]{4,}|[A-Z]{5,})(?:[-_]|$)/;
/** What may be a word of a name that is written together: of random letters a third is, of names most. */
const wordWithin = /[A-Z]?[a-z]{3,}|[A-Z][a-z]{2}/g;
const WORDS_SHARE_MAX = 2 / 3;
/** Where digits, capitals and small letters change: in every second place where they are drawn, in every fourth of a name. */
const change = /(?<=\d)\D|(?<=[A-Z])[^A-Z]|(?<=[a-z])[^a-z]/g;

function changesOften(text: string, placesMax: number): boolean {
  return (text.match(change) ?? []).length * placesMax >= text.length - 1;
}

function isOfWords(text: string): boolean {
  if (/[-_]/.test(text) && wordBetween.test(text)) return true;
  return (text.match(wordWithin) ?? []).join('').length > text.length * WORDS_SHARE_MAX;
}

/** Whether a text of letters, digits, hyphens and underscores looks drawn by a machine: a UUID, hexadecimal digits, or a mixture with no words in it. */
export function looksDrawn(text: string): boolean {
  if (uuid.test(text)) return true;
  if (!/\d/.test(text) || !/[A-Za-z]/.test(text)) return false;
  if (hexadecimal.test(text)) return true;
  if (/[A-Z]/.test(text) && /[a-z]/.test(text)) return changesOften(text, 3) && !isOfWords(text);
  return (text.match(/\d+/g) ?? []).length > 2 && !wordBetween.test(text);
}

/** Whether it looks so and is neither an id nor a digest, as such texts may be: of capitals, small letters and digits, mixed well. */
export function looksDrawnOfAll(text: string): boolean {
  const hasAll = /\d/.test(text) && /[A-Z]/.test(text) && /[a-z]/.test(text);
  return hasAll && !uuid.test(text) && changesOften(text, 2.5) && !isOfWords(text) && new Set(text).size > 15;
}
