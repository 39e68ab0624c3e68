/** Text that a recording or an agent made up must not become markup, a mention or a link in a pull request. */
export function inertText(text: string): string {
  return text.replace(/[\\`*_{}[\]<>()#+!|~@]/g, '\\$&').replace(/\r?\n/g, ' ');
}

/** Text as a code span, whatever backticks it holds. */
export function codeText(text: string): string {
  const flat = text.replace(/\r?\n/g, ' ');
  const longest = Math.max(0, ...(flat.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return longest === 0 ? `${fence}${flat}${fence}` : `${fence} ${flat} ${fence}`;
}

/** A code span inside a table: GitHub splits cells at a pipe even inside code. */
export function cellText(text: string): string {
  return codeText(text).replaceAll('|', '\\|');
}
