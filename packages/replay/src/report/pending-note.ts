import type { Crossing } from '@reenact/trace-model';
import { LISTED_LABELS_MAX } from '../limits.ts';
import { knownUntil } from '../recorded/known-until.ts';

/**
 * What a report says of a run whose process stopped before the run had ended: where it stood, for a replay stands there in the end,
 * too. `met`: the recorded crossings that the replay came to; undefined where none of them is pending.
 */
export function pendingNote(met: readonly Crossing[]): string | undefined {
  const pending = met.filter(
    ({ outcome, outlivesRun }) =>
      outcome.type === 'pending' && outcome.unwritten === undefined && outlivesRun === undefined,
  );
  // What encloses a pending crossing is pending because of it.
  const enclosing = new Set(pending.map(({ parentSpanId }) => parentSpanId));
  const innermost = pending.filter(({ spanId }) => !enclosing.has(spanId));
  const open = innermost.map(({ path }) => path);
  if (open.length === 0) return undefined;
  const more = open.length - LISTED_LABELS_MAX;
  const listed = `${open.slice(0, LISTED_LABELS_MAX).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  const isRead = innermost.some((crossing) => knownUntil(crossing) !== undefined);
  const last = isRead ? ' What came last of such an answer may not have been on the disk then: it is not given.' : '';
  return `The process stopped here when it was recorded: ${listed} had not ended, and ${open.length === 1 ? 'does' : 'do'} not end in a replay.${last}`;
}
