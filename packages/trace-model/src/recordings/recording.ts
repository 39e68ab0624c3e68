import type { PlainValue, Span, TracesData } from '@reenact/otlp';
import type { Crossing } from '../crossings/crossing.ts';
import type { Replayability } from './replayability.ts';
import type { SetUp } from './set-up.ts';

/** Everything kept about one trace, assembled. */
export interface Recording {
  readonly traceId: string;
  /** Parents before children, siblings in start order. */
  readonly crossings: readonly Crossing[];
  /** Crossings without an enclosing crossing: the runs of this trace. */
  readonly roots: readonly Crossing[];
  readonly bySpanId: ReadonlyMap<string, Crossing>;
  /** Every span of the trace, crossings and transparent ones, by span id. */
  readonly spans: ReadonlyMap<string, Span>;
  readonly resource: ReadonlyMap<string, PlainValue>;
  readonly replayability: Replayability;
  /** By the span id of a root: what its program did before it began, where that is held, too (docs/adr/0033). */
  readonly setUps: ReadonlyMap<string, SetUp>;
  /** Recordings of other runs of the same process, where they are held, too (docs/adr/0034). They hold none beside themselves. */
  readonly runsBeside: readonly Recording[];
  /** The telemetry it was assembled from, that of the set-ups and of the runs beside included. */
  readonly data: TracesData;
}
