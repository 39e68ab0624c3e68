import type { Span } from '@reenact/otlp';
import type { Attributes } from './attributes.ts';
import type { Translation } from './translation.ts';

/** The words of an instrumentation family that are not those of the OpenTelemetry GenAI conventions. */
export interface Vocabulary {
  /** What crossings of its spans name as their dialect. */
  readonly name: string;
  /** Whether a span uses these words: asked of every span, so it looks at a few keys at most. */
  knows(attributes: Attributes): boolean;
  /** How names of its instrumentation scopes begin, where some of its spans use no words but those of the conventions. */
  readonly scopes?: readonly string[];
  /** Adds what the conventions would have said. Throws nothing: what cannot be read is left out. */
  translate(translation: Translation, span: Pick<Span, 'name' | 'parentSpanId'>): void;
  /** Why what it says of a model call is not all that was said, in a few words; undefined where nothing is known to be missing. */
  lackOf(attributes: Attributes): string | undefined;
  /** What makes these instrumentations keep what a model was asked and answered. */
  readonly captureSetting: string;
}
