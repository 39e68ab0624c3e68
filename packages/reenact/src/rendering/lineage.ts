import {
  ATTR_REENACT_FORK_OF_SPAN,
  ATTR_REENACT_FORK_OF_TRACE,
  ATTR_REENACT_REPLAY_ID,
} from '@reenact/semconv/reenact';
import type { Recording } from '@reenact/trace-model';

/** Where a fork was made: the recording, and the crossing of it from which on the fork went its own way. */
export interface ForkOrigin {
  readonly traceId: string;
  readonly spanId: string;
}

/** The forks among the runs of a recording; usually one or none. */
export function forksOf({ roots }: Recording): ForkOrigin[] {
  return roots.flatMap(({ attributes }) => {
    const traceId = attributes.get(ATTR_REENACT_FORK_OF_TRACE);
    const spanId = attributes.get(ATTR_REENACT_FORK_OF_SPAN);
    return typeof traceId === 'string' && typeof spanId === 'string' ? [{ traceId, spanId }] : [];
  });
}

/** Where a recording comes from where that is not the agent in production, one line each. */
export function lineageOf(recording: Recording): string[] {
  const forks = forksOf(recording);
  if (forks.length > 0) return forks.map(({ traceId, spanId }) => `fork of trace ${traceId}, made at span ${spanId}`);
  const replays = recording.roots.flatMap(({ attributes }) => attributes.get(ATTR_REENACT_REPLAY_ID) ?? []);
  return [...new Set(replays)].map((replayId) => `spans of the replay ${String(replayId)}, not of a recorded run`);
}
