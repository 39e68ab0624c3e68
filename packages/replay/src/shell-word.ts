/** A path or a label, which may hold spaces and quotes, as one word of a shell. */
export function shellWord(selector: string): string {
  const isPlain = /^[\w@%+=:,./#-]+$/.test(selector);
  return isPlain ? selector : `'${selector.replaceAll("'", "'\\''")}'`;
}
