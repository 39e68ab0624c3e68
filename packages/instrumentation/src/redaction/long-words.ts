/** How many characters a word has at least to be a long one: no key with a form of its own is shorter. */
export const LONG_WORD_CHARACTERS_MIN = 16;

const isOfWord = new Uint8Array(128);
for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.~+/:=-') {
  isOfWord[character.charCodeAt(0)] = 1;
}

/**
 * Whether any long word of a text passes a test. Looks at as many characters as the shortest long word has, from the last one back: what
 * ends a word there takes it behind all of them but the few it has seen. A regular expression looks at each, and takes ten times as long.
 */
export function someLongWord(text: string, test: (word: string) => boolean): boolean {
  let start = 0;
  while (start + LONG_WORD_CHARACTERS_MIN <= text.length) {
    let index = start + LONG_WORD_CHARACTERS_MIN - 1;
    while (index >= start && isOfWord[text.charCodeAt(index)] === 1) index -= 1;
    if (index >= start) {
      start = index + 1;
      continue;
    }
    let end = start + LONG_WORD_CHARACTERS_MIN;
    while (end < text.length && isOfWord[text.charCodeAt(end)] === 1) end += 1;
    if (test(text.slice(start, end))) return true;
    start = end + 1;
  }
  return false;
}
