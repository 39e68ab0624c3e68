import { crossingLabel, PROCESS_RUN_LABEL, type Recording } from '@reenact/trace-model';
import type { StampedEvent } from '../events/replay-event.ts';
import { consumptionOf } from './consumption.ts';
import { eventHistory } from './event-history.ts';

/**
 * Whether a process that the run has started and that goes on may still do what the report is of: something is not called yet that was recorded, or such a process came to its
 * own end when it was recorded, and may call something before it now that was not.
 */
export function mayCallMore(recording: Recording, rootSpanId: string, events: readonly StampedEvent[]): boolean {
  const history = eventHistory(events.filter(({ run }) => run === undefined));
  const { recorded, met, unconsumed } = consumptionOf(recording, rootSpanId, history);
  const processes = recorded.filter((crossing) => crossingLabel(crossing) === PROCESS_RUN_LABEL);
  const hasEnded = processes.some(({ spanId, outcome }) => met.has(spanId) && outcome.type !== 'pending');
  return hasEnded || (processes.length > 0 && unconsumed.length > 0);
}
