/**
 * Whether a text holds `before` with `ending` behind it. The same as looking for both together, which goes by their first letter: where
 * that is a common one and the ending is rare, it takes several times as long.
 */
export function holdsEnding(text: string, before: string, ending: string): boolean {
  for (let at = text.indexOf(ending); at >= 0; at = text.indexOf(ending, at + 1)) {
    if (at >= before.length && text.startsWith(before, at - before.length)) return true;
  }
  return false;
}
