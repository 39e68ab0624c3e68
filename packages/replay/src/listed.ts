import { NAMES_LISTED_MAX } from './limits.ts';

/** The first of what a sentence has to name, and how many more there are. */
export function listed(names: readonly string[]): string {
  const more = names.length - NAMES_LISTED_MAX;
  return names.slice(0, NAMES_LISTED_MAX).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
