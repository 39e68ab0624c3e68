import { EVENT_FEATURE_FLAG_EVALUATION } from '@reenact/instrumentation';
import { toMap } from '@reenact/otlp';
import { ATTR_FEATURE_FLAG_KEY, ATTR_FEATURE_FLAG_RESULT_VALUE } from '@reenact/semconv/core';
import type { Recording } from '@reenact/trace-model';
import type { EventSink } from '../events/event-sink.ts';

/** Compares what feature flags say in a replay with what they said when it was recorded. One per replay and process. */
export class FlagComparison {
  private readonly recording: Recording;
  private readonly sink: EventSink;
  /** How often a flag was evaluated below a recorded crossing in this replay. */
  private readonly counts = new Map<string, number>();
  private readonly told = new Set<string>();

  constructor(recording: Recording, sink: EventSink) {
    this.recording = recording;
    this.sink = sink;
  }

  /** Values of one flag below one recorded crossing, as JSON text, in order. */
  private valuesAt(spanId: string, key: string): string[] {
    const events = this.recording.spans.get(spanId)?.events ?? [];
    return events
      .filter(({ name }) => name === EVENT_FEATURE_FLAG_EVALUATION)
      .map(({ attributes }) => toMap(attributes))
      .filter((attributes) => attributes.get(ATTR_FEATURE_FLAG_KEY) === key)
      .map((attributes) => String(attributes.get(ATTR_FEATURE_FLAG_RESULT_VALUE)));
  }

  /** The value that answers to this evaluation; code that moved finds the first one of the run. */
  private recordedValue(spanId: string, key: string): string | undefined {
    const place = `${spanId} ${key}`;
    const index = this.counts.get(place) ?? 0;
    this.counts.set(place, index + 1);
    const here = this.valuesAt(spanId, key);
    if (here.length > 0) return here[Math.min(index, here.length - 1)];
    return this.recording.crossings.flatMap((crossing) => this.valuesAt(crossing.spanId, key))[0];
  }

  /** Reports a flag that says something else than it did; each such difference once. A flag that was not evaluated then is not compared. */
  evaluated(spanId: string, attributes: Readonly<Record<string, unknown>>): void {
    const key = String(attributes[ATTR_FEATURE_FLAG_KEY]);
    const live = String(attributes[ATTR_FEATURE_FLAG_RESULT_VALUE]);
    const recorded = this.recordedValue(spanId, key);
    const difference = `${key} ${recorded} ${live}`;
    if (recorded === undefined || recorded === live || this.told.has(difference)) return;
    this.told.add(difference);
    this.sink.write({
      type: 'divergence',
      kind: 'environment-changed',
      message: `The feature flag ${key} is ${live} and was ${recorded} when this was recorded.`,
      path: this.recording.bySpanId.get(spanId)?.path ?? '',
      next: 'Replay with the recorded value of the flag if the result depends on it.',
      difference: [{ path: '$', recorded, live }],
      differenceTotal: 1,
      takesEffect: 'at-once',
      insideAtOnce: false,
      recordedAtUs: 0,
    });
  }
}
