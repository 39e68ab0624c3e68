import { NAMES_LISTED_MAX } from './limits.ts';

/** Lines of a list in a message, indented, and how many more there are. */
export function listedLines(lines: readonly string[]): string {
  const more = lines.length - NAMES_LISTED_MAX;
  return [...lines.slice(0, NAMES_LISTED_MAX), ...(more > 0 ? [`and ${more} more`] : [])].join('\n  ');
}
