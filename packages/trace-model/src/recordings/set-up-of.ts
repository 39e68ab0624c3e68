import { toMap } from '@reenact/otlp';
import { ATTR_REENACT_PROCESS_SET_UP } from '@reenact/semconv/reenact';
import type { Recording } from './recording.ts';
import type { SetUp, SetUpLink } from './set-up.ts';

function topOf(spanId: string, { bySpanId }: Pick<Recording, 'bySpanId'>): string {
  let top = spanId;
  for (let steps = bySpanId.size; steps > 0; steps -= 1) {
    const parent = bySpanId.get(top)?.parentSpanId;
    if (parent === undefined || !bySpanId.has(parent)) return top;
    top = parent;
  }
  return top;
}

/**
 * Where the set-up of a run was recorded; `spanId`: the run, or a crossing of it. Undefined where its program had done nothing
 * before nor beside it, or it was recorded before roots said so.
 */
export function setUpLinkOf(recording: Pick<Recording, 'bySpanId' | 'spans'>, spanId: string): SetUpLink | undefined {
  for (const link of recording.spans.get(topOf(spanId, recording))?.links ?? []) {
    const count = toMap(link.attributes).get(ATTR_REENACT_PROCESS_SET_UP);
    if (typeof count === 'number' && Number.isSafeInteger(count) && count >= 0) {
      return { traceId: link.traceId, spanId: link.spanId, count };
    }
  }
  return undefined;
}

/** The set-up of a run that a recording holds beside it; `spanId`: the run, or a crossing of it. */
export function setUpOf(recording: Recording, spanId: string): SetUp | undefined {
  return recording.setUps.get(topOf(spanId, recording));
}
