import type { Attributes, AttributeValue } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';

/** Whether it has a list of what it says, of which some may still be detected: one of OpenTelemetry 1 has none. */
export function isListed(resource: Resource): boolean {
  return typeof resource.getRawAttributes === 'function';
}

/** What is known of a resource now. To read its `attributes` before all of them are there is an error to OpenTelemetry, which it logs. */
export function knownAttributes(resource: Resource): Attributes {
  if (resource.asyncAttributesPending !== true) return resource.attributes;
  if (!isListed(resource)) return (Reflect.get(resource, '_syncAttributes') as Attributes | undefined) ?? {};
  const known: Attributes = {};
  for (const [key, value] of resource.getRawAttributes()) {
    if (value !== undefined && value !== null && !('then' in Object(value))) known[key] ??= value as AttributeValue;
  }
  return known;
}
