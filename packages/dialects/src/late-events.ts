import type { CrossingDraft } from './dialect.ts';

/**
 * Gives crossings whose code went on once they had ended the timers and the work that the root of their run says of them: their own spans had left
 * (docs/adr/0049).
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
