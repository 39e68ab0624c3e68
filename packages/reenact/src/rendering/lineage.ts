import {
  ATTR_REENACT_FORK_OF_SPAN,
  ATTR_REENACT_FORK_OF_TRACE,
  ATTR_REENACT_REPLAY_ID,
} from '@reenact/semconv/reenact';
import type { Recording } from '@reenact/trace-model';
import type { RunSummary } from '@reenact/trace-model/collector-api';

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

function linesOf(forks: readonly ForkOrigin[], replayIds: readonly string[]): string[] {
  if (forks.length > 0) return forks.map(({ traceId, spanId }) => `fork of trace ${traceId}, made at span ${spanId}`);
  return replayIds.map((replayId) => `spans of the replay ${replayId}, not of a recorded run`);
}

/** Where a recording comes from where that is not the agent in production, one line each. */
export function lineageOf(recording: Recording): string[] {
  const replays = recording.roots.flatMap(({ attributes }) => attributes.get(ATTR_REENACT_REPLAY_ID) ?? []);
  return linesOf(forksOf(recording), [...new Set(replays.map(String))]);
}

/** The same of a run, as the collector sums it up. */
export function summarisedLineage({ forkOf, replayId }: Pick<RunSummary, 'forkOf' | 'replayId'>): string[] {
  return linesOf(forkOf === undefined ? [] : [forkOf], replayId === undefined ? [] : [replayId]);
}
