import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { redactAttributes, redactText } from './redact-crossing.ts';

/** Events without secrets: exceptions that a host recorded quote what was sent. */
export function redactedEvents(events: ReadableSpan['events']): ReadableSpan['events'] {
  let hasChanged = false;
  const kept = events.map((event) => {
    const attributes = event.attributes === undefined ? undefined : redactAttributes(event.attributes);
    const name = redactText(event.name);
    if (attributes === event.attributes && name === event.name) return event;
    hasChanged = true;
    return { ...event, name, ...(attributes === undefined ? {} : { attributes }) };
  });
  return hasChanged ? kept : events;
}

/** Links without secrets: what a host says of another span is on its own. */
export function redactedLinks(links: ReadableSpan['links']): ReadableSpan['links'] {
  const kept = links.map((link) => {
    const attributes = link.attributes === undefined ? undefined : redactAttributes(link.attributes);
    return attributes === undefined || attributes === link.attributes ? link : { ...link, attributes };
  });
  return kept.every((link, index) => link === links[index]) ? links : kept;
}

/**
 * A span that the host's own code made, as it may leave the process with a recording. The same object where it holds no
 * secret; what the host's own exporters send is theirs. Never throws.
 */
export function redactedSpan(span: ReadableSpan): ReadableSpan {
  const { attributes, events, links, name, status } = span;
  const kept = {
    attributes: redactAttributes(attributes),
    events: redactedEvents(events),
    links: redactedLinks(links),
    name: redactText(name),
  };
  const message = status.message === undefined ? undefined : redactText(status.message);
  const isSame = kept.attributes === attributes && kept.events === events && kept.links === links && kept.name === name;
  if (isSame && message === status.message) return span;
  // The context is a method of the span; the rest are its own members or getters.
  return Object.create(span, {
    ...Object.fromEntries(Object.entries(kept).map(([key, value]) => [key, { value, enumerable: true }])),
    status: { value: message === undefined ? status : { ...status, message }, enumerable: true },
  }) as ReadableSpan;
}
