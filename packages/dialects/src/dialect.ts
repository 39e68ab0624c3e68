import type { Span } from '@reenact/otlp';
import type { Crossing } from '@reenact/trace-model';
import type { Attributes } from './attributes.ts';

/** What one span alone tells about a crossing; its place in the tree is found when the recording is assembled. */
export type CrossingDraft = Omit<Crossing, 'path' | 'order' | 'parentSpanId'> & {
  /** As the span itself says; absent means it must be derived from the tree. */
  readonly order?: number;
  /** How many crossings had begun directly inside it, in its process, when it ended. */
  readonly begun?: number;
  readonly parentSpanId?: string;
  /** The payload schema is newer than this version knows. */
  readonly unknownVersion?: string;
  /** Its content was too large to be looked at, and how large: nothing is said of it, neither that it is there nor that it is not. */
  readonly unread?: string;
  /** Some of what was said is known to be missing, and what: it is shown, and nothing is answered with it. */
  readonly incomplete?: string;
  /** Its answer is known to lack something, and what: as above, of the answer alone. */
  readonly answerLacks?: string;
};

/** The attribute vocabulary of one instrumentation family: its spans to crossings. */
export interface Dialect {
  readonly name: string;
  /** A crossing where this span is one in this dialect, else undefined. Never throws: damage is named in the draft. */
  read(span: Span, attributes: Attributes): CrossingDraft | undefined;
}
