import { type Crossing, isMarkOfCode } from '@reenact/trace-model';
import type { EventSink } from '../events/event-sink.ts';
import { listed } from '../listed.ts';

/** Notes what could not be recorded of a crossing that is served. What its code drew or connected to is no part of what is served. */
export function noteLosses(recorded: Crossing, sink: EventSink): void {
  if (recorded.lossy.length === 0) return;
  const lost = recorded.lossy.filter((mark) => !mark.startsWith('/input') && !isMarkOfCode(mark));
  if (lost.length === 0) return;
  const text = `${recorded.path} was served without what could not be recorded: ${listed(lost)}.`;
  sink.write({ type: 'note', text, path: recorded.path, unverified: false });
}
