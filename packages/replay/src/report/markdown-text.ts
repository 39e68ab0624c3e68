const LINE_ENDS = /\r\n?|\n/g;

/** What GitHub makes a mention, a link, a reference or a character of, also behind a backslash: it looks once more at what was rendered. */
const LINKED = /[@#&]|:\/\/|\bwww\.|\bmailto:|\bxmpp:|\bGH-\d/i;

/** Text that a recording or an agent made up must not become markup, a mention or a link in a pull request. */
export function inertText(text: string): string {
  const words = text.replace(LINE_ENDS, ' ').split(/(\s+)/);
  const inert = words.map((word) =>
    LINKED.test(word) ? codeText(word) : word.replace(/[\\`*_{}[\]<>()+!|~]/g, '\\$&'),
  );
  // At the beginning of a line they would make a list or a heading.
  return inert
    .join('')
    .replace(/^(\s*)(?=[-=])/, '$1\\')
    .replace(/^(\s*\d+)(?=\.)/, '$1\\');
}

/** Text as a code span, whatever backticks it holds. */
export function codeText(text: string): string {
  const flat = text.replace(LINE_ENDS, ' ');
  const longest = Math.max(0, ...(flat.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return longest === 0 ? `${fence}${flat}${fence}` : `${fence} ${flat} ${fence}`;
}

/** A code span inside a table: GitHub splits cells at a pipe even inside code. */
export function cellText(text: string): string {
  return codeText(text).replaceAll('|', '\\|');
}
