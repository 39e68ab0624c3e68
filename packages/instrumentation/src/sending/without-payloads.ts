import type { Attributes, AttributeValue } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { ATTR_REENACT_CAPTURE, ATTR_REENACT_LOSSY } from '@reenact/semconv/reenact';
import { REFUSED_ATTRIBUTE_CHARACTERS_MAX } from '../limits.ts';

function charactersOf(value: AttributeValue | undefined): number {
  if (typeof value === 'string') return value.length;
  if (!Array.isArray(value)) return 0;
  return value.reduce<number>((sum, item) => sum + (typeof item === 'string' ? item.length : 0), 0);
}

interface Cut {
  readonly kept: Attributes;
  /** Keys of what was left out. */
  readonly left: readonly string[];
}

function cut(attributes: Attributes): Cut {
  const entries = Object.entries(attributes);
  const isKept = ([, value]: (typeof entries)[number]): boolean =>
    charactersOf(value) <= REFUSED_ATTRIBUTE_CHARACTERS_MAX;
  return {
    kept: Object.fromEntries(entries.filter(isKept)),
    left: entries.filter((entry) => !isKept(entry)).map(([key]) => key),
  };
}

/**
 * A span that its receiver found too large, without its large attributes: a crossing keeps its place, what it was called with where that is small,
 * and every digest, and says what it lacks, so that a replay names it as a cold case. Undefined where nothing of it is large.
 */
export function withoutPayloads(span: ReadableSpan): ReadableSpan | undefined {
  const { kept, left } = cut(span.attributes);
  const events = span.events.map((event) => ({ event, ...cut(event.attributes ?? {}) }));
  if (left.length === 0 && events.every((one) => one.left.length === 0)) return undefined;
  const known = kept[ATTR_REENACT_LOSSY];
  const marks = left.map((key) => `/ ${key} too large for the receiver`);
  return {
    ...span,
    spanContext: () => span.spanContext(),
    attributes: {
      ...kept,
      // Whoever reads it must not take a stream without its chunks for an empty one.
      ...(left.some((key) => key.startsWith('reenact.')) ? { [ATTR_REENACT_CAPTURE]: 'digest' } : {}),
      [ATTR_REENACT_LOSSY]: [...(Array.isArray(known) ? known.map(String) : []), ...marks],
    },
    events: events.map(({ event, kept: attributes, left: { length } }) => ({
      ...event,
      attributes,
      droppedAttributesCount: (event.droppedAttributesCount ?? 0) + length,
    })),
    droppedAttributesCount: span.droppedAttributesCount + left.length,
  };
}
