import { buildRecording, type CrossingPlan } from '@reenact/recordings/testing';
import { assembleRecording, markedBeside } from '@reenact/dialects';
import { fromMap, type Span, type TracesData } from '@reenact/otlp';
import type { Recording } from '@reenact/trace-model';

function traceOf(place: number): string {
  return place.toString(16).padStart(32, 'c');
}

/** Span ids of one run, apart from those of the others. */
function idIn(place: number, spanId: string): string {
  return `${place.toString(16)}${spanId.slice(1)}`;
}

function runTelemetry(plan: CrossingPlan, place: number): TracesData {
  const spans = [...buildRecording(plan).spans.values()].map((span, index): Span => {
    const link = {
      traceId: traceOf(place - 1),
      spanId: idIn(place - 1, span.spanId),
      attributes: fromMap([['reenact.process.run_before', place - 1]]),
    };
    return {
      ...span,
      traceId: traceOf(place),
      spanId: idIn(place, span.spanId),
      ...(span.parentSpanId === undefined ? {} : { parentSpanId: idIn(place, span.parentSpanId) }),
      attributes: (span.attributes ?? []).map(({ key, value }) =>
        key === 'reenact.parent' && value?.stringValue !== undefined
          ? { key, value: { stringValue: idIn(place, value.stringValue) } }
          : { key, value },
      ),
      ...(index === 0 && place > 1 ? { links: [link] } : {}),
    };
  });
  return { resourceSpans: [{ resource: { attributes: [] }, scopeSpans: [{ spans }] }] };
}

/** A recording of the last of some runs of one process, the others beside it; each root is the first span of its plan. */
export function recordingOfProcess(runs: readonly CrossingPlan[]): Recording {
  const groups = runs.flatMap((plan, index) => {
    const telemetry = runTelemetry(plan, index + 1);
    return (index === runs.length - 1 ? telemetry : markedBeside(telemetry)).resourceSpans;
  });
  return assembleRecording({ resourceSpans: groups });
}
