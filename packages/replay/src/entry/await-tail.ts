import { pristine } from '@reenact/instrumentation';
import { subtreeOf } from '@reenact/recordings';
import type { Crossing, Recording } from '@reenact/trace-model';
import type { StampedEvent } from '../events/replay-event.ts';
import { TAIL_POLL_MS } from '../limits.ts';
import { tailMs } from '../process/send-recorded-request.ts';

/** The calls that the run's own code began after it had ended; those inside a call that is served are never made. */
function begunAfter({ recording, root }: { readonly recording: Recording; readonly root: Crossing }): Crossing[] {
  const ownCode = new Set([root.spanId]);
  const later: Crossing[] = [];
  for (const crossing of subtreeOf(recording, root.spanId)) {
    const isOwn = crossing.parentSpanId !== undefined && ownCode.has(crossing.parentSpanId);
    if (isOwn && crossing.kind === 'agent') ownCode.add(crossing.spanId);
    if (isOwn && crossing.startTimeUnixNano > root.endTimeUnixNano) later.push(crossing);
  }
  return later;
}

/**
 * Waits after the end of a run for what its code went on to call when it was recorded, as branches do that nobody waits for; at most
 * as long as the recorded run went on, and a moment, and not where nothing is under way any more.
 */
export async function awaitTail(
  run: { readonly recording: Recording; readonly root: Crossing },
  events: readonly StampedEvent[],
  tail: { readonly isOver: () => boolean },
): Promise<void> {
  const awaited = new Set(begunAfter(run).map(({ spanId }) => spanId));
  const until = pristine.performanceNow() + tailMs(run);
  let seen = 0;
  while (awaited.size > 0 && pristine.performanceNow() < until && !tail.isOver()) {
    for (const { event } of events.slice(seen)) {
      if (event.type === 'met' && event.recordedSpanId !== undefined) awaited.delete(event.recordedSpanId);
    }
    seen = events.length;
    await new Promise((resolve) => pristine.setTimeout(resolve, TAIL_POLL_MS));
  }
}
