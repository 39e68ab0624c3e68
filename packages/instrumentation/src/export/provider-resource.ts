import { trace } from '@opentelemetry/api';
import { defaultResource, detectResources, envDetector, type Resource } from '@opentelemetry/resources';
import { guarded } from '../host/report-failure.ts';

function isResource(value: unknown): value is Resource {
  return typeof value === 'object' && value !== null && 'attributes' in value && 'merge' in value;
}

/**
 * The resource of the app's own provider; undefined where there is none, or where it keeps its resource elsewhere than
 * OpenTelemetry 2 does. For spans that the sampler dropped: they do not name theirs, and the API has no way to ask. Never throws.
 */
export function providerResource(): Resource | undefined {
  const read = (): unknown => {
    const registered = trace.getTracerProvider() as { getDelegate?: () => object };
    return Reflect.get(registered.getDelegate?.() ?? registered, '_resource');
  };
  const resource = guarded('reading the resource of a provider', read, undefined);
  return isResource(resource) ? resource : undefined;
}

/** What `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` say, beside OpenTelemetry's defaults. Never throws. */
export function environmentResource(): Resource {
  const detect = (): Resource => defaultResource().merge(detectResources({ detectors: [envDetector] }));
  return guarded('reading the resource of the environment', detect, defaultResource());
}
