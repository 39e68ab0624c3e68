import { subtreeOf } from '@reenact/recordings';
import type { Crossing, Recording } from '@reenact/trace-model';
import { AFTER_RUN_MS_MAX } from '../limits.ts';

/** How long a run whose process was stopped in the middle of it may take to come as far as it did: this machine may be slower than that one. */
export function cutOffMs({ recording, root }: { readonly recording: Recording; readonly root: Crossing }): number {
  const ends = subtreeOf(recording, root.spanId).map(({ endTimeUnixNano }) => endTimeUnixNano - root.startTimeUnixNano);
  const tookMs = Math.max(0, ...ends.map((ns) => Number(ns / 1_000_000n)));
  return 2 * tookMs + AFTER_RUN_MS_MAX;
}
