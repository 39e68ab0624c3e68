import type { SpanLink } from '@reenact/otlp';
import {
  ATTR_REENACT_FORK_OF_SPAN,
  ATTR_REENACT_FORK_OF_TRACE,
  ATTR_REENACT_PROCESS_SET_UP,
  ATTR_REENACT_REPLAY_ID,
} from '@reenact/semconv/reenact';
import type { RunSummary } from '@reenact/trace-model/collector-api';
import { type ReadSpan, textOf } from '../traces/read-span.ts';

/** Where a run comes from. */
export type RunLineage = Pick<RunSummary, 'origin' | 'replayId' | 'replayOf' | 'forkOf'>;

/** Whether a link leads to what the program did before the run, and not to what was re-run. */
function isSetUpLink({ attributes = [] }: SpanLink): boolean {
  return attributes.some(({ key }) => key === ATTR_REENACT_PROCESS_SET_UP);
}

/** A replay runs under a trace of its own, so one span of it says so for all; its spans link to what they re-ran. */
export function lineageOf(spans: readonly ReadSpan[]): RunLineage {
  const replayed = spans.find(({ attributes }) => attributes.has(ATTR_REENACT_REPLAY_ID));
  const forked = spans.find(({ attributes }) => attributes.has(ATTR_REENACT_FORK_OF_TRACE));
  const replayId = replayed === undefined ? undefined : textOf(replayed.attributes, ATTR_REENACT_REPLAY_ID);
  const replay = replayId === undefined ? {} : { replayId };
  if (forked !== undefined) {
    const traceId = textOf(forked.attributes, ATTR_REENACT_FORK_OF_TRACE) ?? '';
    const spanId = textOf(forked.attributes, ATTR_REENACT_FORK_OF_SPAN) ?? '';
    return { origin: 'fork', ...replay, forkOf: { traceId, spanId } };
  }
  if (replayed === undefined) return { origin: 'recorded' };
  const links = spans
    .filter(({ attributes }) => attributes.has(ATTR_REENACT_REPLAY_ID))
    .flatMap(({ span }) => span.links ?? []);
  const replayOf = links.find((link) => link.traceId !== replayed.span.traceId && !isSetUpLink(link))?.traceId;
  return { origin: 'replay', ...replay, ...(replayOf === undefined ? {} : { replayOf }) };
}
