/** How many characters a word has at least to be a long one: no key with a form of its own is shorter. */
export const LONG_WORD_CHARACTERS_MIN = 16;

const isOfWord = new Uint8Array(128);
for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.~+/:=-') {
  isOfWord[character.charCodeAt(0)] = 1;
}

/**
 * Whether any long word of a text passes a test. Looks at one character in sixteen: no long word fits between two of those.
 * A regular expression looks at each, and takes ten times as long.
 */
export function someLongWord(text: string, test: (word: string) => boolean): boolean {
  for (let index = LONG_WORD_CHARACTERS_MIN - 1; index < text.length; index += LONG_WORD_CHARACTERS_MIN) {
    if (isOfWord[text.charCodeAt(index)] !== 1) continue;
    let start = index;
    while (start > 0 && isOfWord[text.charCodeAt(start - 1)] === 1) start -= 1;
    let end = index + 1;
    while (end < text.length && isOfWord[text.charCodeAt(end)] === 1) end += 1;
    if (end - start >= LONG_WORD_CHARACTERS_MIN && test(text.slice(start, end))) return true;
    index += Math.floor((end - 1 - index) / LONG_WORD_CHARACTERS_MIN) * LONG_WORD_CHARACTERS_MIN;
  }
  return false;
}
