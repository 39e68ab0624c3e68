import { buildRecording, type CrossingPlan } from '@reenact/recordings/testing';
import { assembleRecording } from '@reenact/dialects';
import { fromMap, type Span } from '@reenact/otlp';
import type { Recording } from '@reenact/trace-model';

const processTrace = 'b'.repeat(32);
/** How long before the run its process is set up, microseconds. */
export const SET_UP_BEFORE_US = 3_600_000_000;
const beforeNano = BigInt(SET_UP_BEFORE_US) * 1_000n;

/** Span ids of another process than those of the run. */
function inProcessTrace(spanId: string): string {
  return `f${spanId.slice(1)}`;
}

/**
 * A recording of a run and of what its process did before, which counts as set-up, beside it, and after; `beside`, at the times of the run, and
 * `afterwards` hold nothing inside. The root is its first span.
 */
export function recordingWithSetUp(
  run: CrossingPlan,
  setUp: readonly CrossingPlan[],
  afterwards: readonly CrossingPlan[] = [],
  beside: readonly CrossingPlan[] = [],
): Recording {
  const children = [...setUp, ...beside, ...afterwards];
  const ofProcess = buildRecording({ label: 'agent:process', outcome: 'pending', children });
  const spansUntil = ofProcess.spans.size - afterwards.length;
  const spansBefore = spansUntil - beside.length;
  const shifted = (nano: string, index: number): string => {
    if (index < spansBefore) return String(BigInt(nano) - beforeNano);
    return index < spansUntil ? nano : String(BigInt(nano) + beforeNano);
  };
  const before: Span[] = [...ofProcess.spans.values()].map((span, index) => ({
    ...span,
    traceId: processTrace,
    spanId: inProcessTrace(span.spanId),
    ...(span.parentSpanId === undefined ? {} : { parentSpanId: inProcessTrace(span.parentSpanId) }),
    startTimeUnixNano: shifted(span.startTimeUnixNano, index),
    endTimeUnixNano: shifted(span.endTimeUnixNano, index),
    attributes: (span.attributes ?? []).map(({ key, value }) =>
      key === 'reenact.parent' && value?.stringValue !== undefined
        ? { key, value: { stringValue: inProcessTrace(value.stringValue) } }
        : { key, value },
    ),
  }));
  const processRun = before[0]?.spanId ?? '';
  const [root, ...others] = [...buildRecording(run).spans.values()];
  if (root === undefined) throw new TypeError('there is a root');
  const attributes = fromMap([['reenact.process.set_up', setUp.length]]);
  const linked = { ...root, links: [{ traceId: processTrace, spanId: processRun, attributes }] };
  return assembleRecording({ resourceSpans: [{ scopeSpans: [{ spans: [linked, ...others, ...before] }] }] });
}
