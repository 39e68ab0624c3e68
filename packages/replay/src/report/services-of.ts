import { toMap } from '@reenact/otlp';
import { ATTR_SERVICE_NAME } from '@reenact/semconv/core';
import type { Crossing, Recording } from '@reenact/trace-model';

/** Tells by which service a crossing was recorded, as far as its resource says it. */
export function servicesOf({ data }: Recording): (crossing: Crossing) => string | undefined {
  const services = new Map<string, string>();
  for (const { resource, scopeSpans } of data.resourceSpans) {
    const service = toMap(resource?.attributes).get(ATTR_SERVICE_NAME);
    if (typeof service !== 'string') continue;
    for (const { spans } of scopeSpans) for (const { spanId } of spans) services.set(spanId, service);
  }
  return ({ spanId }) => services.get(spanId);
}
