import { ATTR_REENACT_PROCESS_BESIDE } from '@reenact/semconv/reenact';
import type { Crossing } from '@reenact/trace-model';

/**
 * What the process of a run called outside of every run while this one went on, when it was recorded: the exporter of somebody's telemetry,
 * a poll, or a queue that lost the run's context. What such a call is answered is not in the recording of the run.
 */
export function calledBeside({ attributes }: Crossing): ReadonlySet<unknown> {
  const labels = attributes.get(ATTR_REENACT_PROCESS_BESIDE);
  return new Set(Array.isArray(labels) ? labels : []);
}
