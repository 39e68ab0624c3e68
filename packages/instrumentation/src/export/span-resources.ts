import { type Resource, resourceFromAttributes } from '@opentelemetry/resources';
import { ATTR_SERVICE_NAME } from '@reenact/semconv/core';
import { isListed, knownAttributes } from '../view/known-attributes.ts';
import { environmentResource, providerResource } from './provider-resource.ts';

/** What an SDK calls a service that nobody named says nothing against a name that is known. */
function ownName(own: Resource, host: Resource): Resource | null {
  const [, said] = host.getRawAttributes().find(([key]) => key === ATTR_SERVICE_NAME) ?? [];
  const known = own.attributes[ATTR_SERVICE_NAME];
  if (known === undefined || typeof said !== 'string' || !said.startsWith('unknown_service')) return null;
  return resourceFromAttributes({ [ATTR_SERVICE_NAME]: known });
}

function laidOver(own: Resource, host: Resource): Resource {
  const upper = isListed(host) ? host : resourceFromAttributes(knownAttributes(host));
  return own.merge(upper).merge(ownName(own, upper));
}

/** Which resource each span is exported with. Exporters group spans by the resource object, so that each combination is made once. */
export class SpanResources {
  private readonly own: Resource | undefined;
  private firstSeen: Resource | undefined;
  private fallback: Resource | undefined;
  private readonly combined = new WeakMap<Resource, Resource>();

  /** `own`: what is known about the process; the resource of the host's provider is laid over it. */
  constructor(own: Resource | undefined) {
    this.own = own;
  }

  /** A span of the host has this resource: spans that its sampler dropped name none. */
  saw(resource: Resource): void {
    this.firstSeen ??= resource;
  }

  /** The one to export with; `ofSpan`: undefined where the span names none. */
  of(ofSpan: Resource | undefined): Resource {
    const { own } = this;
    const seen = ofSpan ?? this.firstSeen;
    const host = seen ?? (own === undefined ? providerResource() : undefined);
    if (host === undefined) {
      this.fallback ??= own ?? environmentResource();
      return this.fallback;
    }
    if (own === undefined) return host;
    const known = this.combined.get(host);
    if (known !== undefined) return known;
    const combined = laidOver(own, host);
    // One of OpenTelemetry 1 says more later; what one of a later version says then comes into what was made of it.
    if (isListed(host) || host.asyncAttributesPending !== true) this.combined.set(host, combined);
    return combined;
  }
}
