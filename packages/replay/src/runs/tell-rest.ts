import type { Crossing, Recording } from '@reenact/trace-model';
import type { FileSink } from '../events/event-sink.ts';
import type { StampedEvent } from '../events/replay-event.ts';
import { RUN_TAIL_MS_MAX } from '../limits.ts';
import { RunTail, type RunTailOptions } from '../player/run-tail.ts';
import { cutOffMs } from '../recorded/cut-off-ms.ts';

/** A run that the driver of a replay enters by a request. */
export interface RestingRun {
  readonly player: RunTailOptions & { readonly recording: Recording };
  readonly root: Crossing;
  readonly sink: FileSink;
  /** Whether it is another run than the replayed one, whose reports are marked as its own. */
  readonly isBeside?: boolean;
  /** Called then, too. */
  readonly rested?: () => void;
}

/**
 * Tells the driver, which sends the next request or stops the service then, that what a run goes on to do after its answer is over; of a run whose
 * process was stopped in the middle of it, that it has come as far as it did.
 */
export function tellRest({ player, root, sink, isBeside = false, rested }: RestingRun): void {
  const tail = new RunTail(player);
  const run = isBeside ? root.spanId : undefined;
  const own = run === undefined ? sink : sink.ofRun(run);
  const isCutOff = root.outcome.type === 'pending';
  const isFrom = (event: StampedEvent['event']): boolean =>
    isCutOff
      ? event.type === 'met' && event.recordedSpanId === root.spanId
      : event.type === 'outcome' && event.path === root.path;
  const listener = ({ run: of, event }: StampedEvent): void => {
    if (of !== run || !isFrom(event)) return;
    sink.listeners.delete(listener);
    void tail.over(isCutOff ? cutOffMs({ recording: player.recording, root }) : RUN_TAIL_MS_MAX).then(() => {
      own.write({ type: 'rested' });
      rested?.();
    });
  };
  sink.listeners.add(listener);
}
