import { type Span, toMap } from '@reenact/otlp';
import { ATTR_ERROR_TYPE, ATTR_EXCEPTION_TYPE } from '@reenact/semconv/core';
import { ATTR_REENACT_SCHEMA } from '@reenact/semconv/reenact';
import { aiSdk } from './ai-sdk/ai-sdk-vocabulary.ts';
import type { Attributes } from './attributes.ts';
import { langfuse } from './langfuse/langfuse-vocabulary.ts';
import { mastra } from './mastra/mastra-vocabulary.ts';
import { openInference } from './openinference/openinference-vocabulary.ts';
import { openLlmetry } from './openllmetry/openllmetry-vocabulary.ts';
import { pydanticAi } from './pydantic-ai/pydantic-ai-vocabulary.ts';
import { Translation } from './translation.ts';
import type { Vocabulary } from './vocabulary.ts';

/** In the order they are asked: the AI SDK's spans also carry words that others use. */
export const VOCABULARIES: readonly Vocabulary[] = [aiSdk, openInference, openLlmetry, mastra, langfuse, pydanticAi];

/** The vocabulary that a span is written in; undefined for ours and that of the conventions themselves. */
function vocabularyOf(attributes: Attributes): Vocabulary | undefined {
  if (attributes.has(ATTR_REENACT_SCHEMA)) return undefined;
  return VOCABULARIES.find((vocabulary) => vocabulary.knows(attributes));
}

/** Whose words these are, by who wrote them: what the keys alone do not tell of spans that say all of it as the conventions do. */
export function vocabularyOfScope(scope: string | undefined): Vocabulary | undefined {
  if (scope === undefined) return undefined;
  return VOCABULARIES.find(({ scopes }) => scopes?.some((start) => scope.startsWith(start)) === true);
}

/** Where instrumentations say it, the error that ended a span is its last exception. */
function addErrorType(translation: Translation, events: NonNullable<Span['events']>): void {
  const types = events.map(({ attributes }) => toMap(attributes).get(ATTR_EXCEPTION_TYPE));
  translation.addText(
    ATTR_ERROR_TYPE,
    types.findLast((type) => type !== undefined),
  );
}

/**
 * The attributes of a span, and where they are written in another vocabulary, what the OpenTelemetry GenAI conventions would have said beside
 * them: whoever reads these need know no dialect. Nothing that was received is changed, and saying it twice changes nothing.
 */
export function semconvAttributes(
  span: Pick<Span, 'name' | 'parentSpanId' | 'attributes' | 'events' | 'status'>,
): Attributes {
  const attributes = toMap(span.attributes);
  const vocabulary = vocabularyOf(attributes);
  const lacksError =
    span.status?.code === 2 && !attributes.has(ATTR_ERROR_TYPE) && !attributes.has(ATTR_REENACT_SCHEMA);
  if (vocabulary === undefined && !lacksError) return attributes;
  const translation = new Translation(attributes);
  try {
    vocabulary?.translate(translation, span);
  } catch (thrown) {
    // Nested too deep to be walked through: what was said before that stays.
    if (!(thrown instanceof RangeError)) throw thrown;
  }
  if (lacksError) addErrorType(translation, span.events ?? []);
  return translation.attributes;
}
