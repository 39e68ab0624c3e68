import type { CrossingDraft } from './dialect.ts';

/**
 * Adds the timers and the work of code that went on behind the end of its crossing to that crossing. The root of the run tells of them, because the
 * crossing's own span had left by then (docs/adr/0049).
 */
export function joinLateEvents(drafts: Map<string, CrossingDraft>): void {
  // Where several roots say it, the last has all of it.
  const byEnd = [...drafts.values()].filter(({ draws }) => draws?.lateEvents !== undefined).sort(compareEnd);
  for (const [spanId, events] of byEnd.flatMap(({ draws }) => Object.entries(draws?.lateEvents ?? {}))) {
    const draft = drafts.get(spanId);
    if (draft !== undefined) drafts.set(spanId, { ...draft, draws: { ...draft.draws, ...events } });
  }
}

function compareEnd(left: CrossingDraft, right: CrossingDraft): number {
  if (left.endTimeUnixNano === right.endTimeUnixNano) return 0;
  return left.endTimeUnixNano < right.endTimeUnixNano ? -1 : 1;
}
