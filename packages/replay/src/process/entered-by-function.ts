import { type Crossing, ReenactError } from '@reenact/trace-model';
import { ownProcessId } from '../events/event-sink.ts';
import type { StampedEvent } from '../events/replay-event.ts';

/** Said where the function of an entry did not cross the boundary it stands for. */
export function notCrossed(root: Crossing): string {
  return `The entry's function never called ${root.path} itself, so how it ended was not compared: name the wrapped function, which crosses the boundary.`;
}

/**
 * The events of a replay whose root a function entered, with what only shows afterwards. Throws the ReenactError of a process
 * that could not load or call the function: no code of the agent ran then.
 */
export function checkEntered(events: readonly StampedEvent[], root: Crossing): StampedEvent[] {
  const failed = events.map(({ event }) => event).find((event) => event.type === 'failed');
  if (failed?.type === 'failed') {
    throw new ReenactError(failed.code, failed.message, {
      ...(failed.where === undefined ? {} : { where: failed.where }),
      ...(failed.next === undefined ? {} : { next: failed.next }),
    });
  }
  const isMet = events.some(({ event }) => event.type === 'met' && event.recordedSpanId === root.spanId);
  if (isMet) return [...events];
  const event = { type: 'note', text: notCrossed(root), unverified: true } as const;
  return [...events, { processId: ownProcessId(), atUs: events.at(-1)?.atUs ?? 0, event }];
}
