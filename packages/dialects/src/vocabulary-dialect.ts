import type { Span } from '@reenact/otlp';
import type { Attributes } from './attributes.ts';
import type { CrossingDraft, Dialect } from './dialect.ts';
import { readGenAi } from './otel-genai/otel-genai-dialect.ts';
import type { Vocabulary } from './vocabulary.ts';

function lackOf(vocabulary: Vocabulary, span: Span, attributes: Attributes): string | undefined {
  const dropped = span.droppedAttributesCount ?? 0;
  return dropped > 0 ? `its SDK dropped ${dropped} attributes` : vocabulary.lackOf(attributes);
}

/** What is known to be a part must not be served as the whole. */
function withLack({ reconstructed: _whole, ...draft }: CrossingDraft, incomplete: string): CrossingDraft {
  return { ...draft, call: 'promise', incomplete };
}

/** Spans of this vocabulary as the conventions would have said them; their attributes are those of `semconvAttributes`. */
export function vocabularyDialect(vocabulary: Vocabulary): Dialect {
  return {
    name: vocabulary.name,
    read(span, attributes) {
      const draft = vocabulary.knows(attributes) ? readGenAi(span, attributes, vocabulary.name) : undefined;
      if (draft?.kind !== 'model') return draft;
      const lack = lackOf(vocabulary, span, attributes);
      return lack === undefined ? draft : withLack(draft, lack);
    },
  };
}
