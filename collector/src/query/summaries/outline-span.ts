import type { PlainValue, Span } from '@reenact/otlp';
import { toMap } from '@reenact/otlp';
import { ATTR_EXCEPTION_MESSAGE, ATTR_EXCEPTION_TYPE, ATTR_USER_ID } from '@reenact/semconv/core';
import {
  ATTR_REENACT_FORK_OF_SPAN,
  ATTR_REENACT_FORK_OF_TRACE,
  ATTR_REENACT_INPUT_VIOLATIONS,
  ATTR_REENACT_KEEP,
  ATTR_REENACT_OUTCOME,
  ATTR_REENACT_REPLAY_ID,
  ATTR_REENACT_REQUIRES_MISSING,
} from '@reenact/semconv/reenact';
import { userFacet } from '../../store/index/user-facet.ts';
import { FACET_CHARACTERS_MAX } from '../../store/limits.ts';
import { OUTLINE_EVENTS_MAX } from '../limits.ts';
import type { ReadSpan } from '../traces/read-span.ts';
import { copiedStart } from './copied-start.ts';
import { USAGE_KEYS } from './model-usage.ts';
import { FACET_KEYS } from './run-facets.ts';

/** The attributes that a summary looks at when all spans of a run are known. */
const OUTLINE_KEYS: readonly string[] = [
  ...FACET_KEYS,
  ...USAGE_KEYS,
  ATTR_REENACT_OUTCOME,
  ATTR_REENACT_KEEP,
  ATTR_REENACT_REQUIRES_MISSING,
  ATTR_REENACT_INPUT_VIOLATIONS,
  ATTR_REENACT_REPLAY_ID,
  ATTR_REENACT_FORK_OF_TRACE,
  ATTR_REENACT_FORK_OF_SPAN,
];

const STATUS_ERROR = 2;

const EVENT_KEYS = [ATTR_EXCEPTION_TYPE, ATTR_EXCEPTION_MESSAGE];

/** One character more than a facet may have: what is left out of the facets of a run still is. */
function shortText(text: string): string {
  return copiedStart(text, FACET_CHARACTERS_MAX + 1);
}

/** Of a list or a map, only that it is there matters. */
function shortValue(value: PlainValue): PlainValue {
  if (typeof value === 'string') return shortText(value);
  return typeof value === 'object' ? null : value;
}

/** The attributes that a summary looks at in the end, none longer than it looks at it. */
export function outlineAttributes(attributes: ReadonlyMap<string, PlainValue>): ReadonlyMap<string, PlainValue> {
  const kept = new Map<string, PlainValue>();
  for (const key of OUTLINE_KEYS) {
    const value = attributes.get(key);
    if (key === ATTR_USER_ID && typeof value === 'string') kept.set(key, userFacet(value));
    else if (value !== undefined) kept.set(key, shortValue(value));
  }
  return kept;
}

function outlineEvents(events: NonNullable<Span['events']>): NonNullable<Span['events']> {
  return events.slice(0, OUTLINE_EVENTS_MAX).flatMap(({ name, timeUnixNano, attributes }) => {
    const read = toMap(attributes);
    const kept = EVENT_KEYS.flatMap((key) => {
      const value = read.get(key);
      return typeof value === 'string' ? [{ key, value: { stringValue: shortText(value) } }] : [];
    });
    return kept.length === 0 ? [] : [{ name, timeUnixNano, attributes: kept }];
  });
}

/**
 * What a summary needs of a span when all spans of its run are known: its name, place and times, and what runs are found by. What was said in
 * it is left out, which is nearly all of it.
 */
export function outlineSpan({ span, scope, resource }: ReadSpan, attributes: ReadSpan['attributes']): ReadSpan {
  const { traceId, spanId, parentSpanId, name, kind, startTimeUnixNano, endTimeUnixNano, status, links, events } = span;
  const told = events === undefined ? [] : outlineEvents(events);
  const outline: Span = {
    traceId,
    spanId,
    name: shortText(name),
    startTimeUnixNano,
    endTimeUnixNano,
    ...(kind === undefined ? {} : { kind }),
    ...(parentSpanId === undefined ? {} : { parentSpanId }),
    ...(status === undefined ? {} : { status: { ...status, ...messageOf(status) } }),
    // A replay leads by them to what it re-ran.
    ...(links === undefined || !attributes.has(ATTR_REENACT_REPLAY_ID) ? {} : { links }),
    ...(told.length === 0 ? {} : { events: told }),
  };
  return { span: outline, scope, attributes, resource };
}

/** With what a span failed, for whoever tells why its run did; nothing of one that did not. */
export function outlineFailure({ status, events = [] }: Span): Pick<Span, 'status' | 'events'> {
  if (status?.code !== STATUS_ERROR) return {};
  const last = events.findLast(({ name }) => name === 'exception');
  const told = last === undefined ? [] : outlineEvents([last]);
  return { status: { ...status, ...messageOf(status) }, ...(told.length === 0 ? {} : { events: told }) };
}

function messageOf({ message }: NonNullable<Span['status']>): { message?: string } {
  return message === undefined ? {} : { message: shortText(message) };
}
