import type { IgnoreRule } from '../plan/plan-schema.ts';
import type { EventHistory } from './event-history.ts';

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

/** One note per ignore rule of the plan: what it hid, or that it never found anything to hide. */
export function ignoreNotes(rules: readonly IgnoreRule[], history: EventHistory): string[] {
  const events = history.events.flatMap(({ event }) => (event.type === 'ignored' ? [event] : []));
  return rules.map(({ selector, path, why }, index) => {
    const used = events.filter(({ rule }) => rule === index);
    const differing = used.filter(({ differs }) => differs).length;
    const name = `${path} of ${selector}`;
    if (used.length === 0)
      return `The plan ignores ${name} (${why}), but no compared input had anything there: take the rule out.`;
    const differed = differing === 0 ? 'it was the same each time' : `it differed ${times(differing)}`;
    return `Ignored ${name} (${why}): met ${times(used.length)}, ${differed}.`;
  });
}
