import type { IgnoredField } from '@reenact/trace-model';
import type { IgnoreRule } from '../plan/plan-schema.ts';
import type { EventHistory } from './event-history.ts';

/** What became of each ignore rule of a plan. */
export function ignoredFields(rules: readonly IgnoreRule[], history: EventHistory): IgnoredField[] {
  const events = history.events.flatMap(({ event }) => (event.type === 'ignored' ? [event] : []));
  return rules.map(({ selector, path, why }, index) => {
    const used = events.filter(({ rule }) => rule === index);
    return { selector, path, why, met: used.length, differed: used.filter(({ differs }) => differs).length };
  });
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

/** One note per ignored field: what the rule hid, or that it never found anything to hide. */
export function ignoreNote({ selector, path, why, met, differed }: IgnoredField): string {
  const name = `${path} of ${selector}`;
  if (met === 0) {
    return `The plan ignores ${name} (${why}), but no compared input had anything there: take the rule out.`;
  }
  const what = differed === 0 ? 'it was the same each time' : `it differed ${times(differed)}`;
  return `Ignored ${name} (${why}): met ${times(met)}, ${what}.`;
}
