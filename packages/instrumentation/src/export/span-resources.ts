import type { Resource } from '@opentelemetry/resources';
import { environmentResource, providerResource } from './provider-resource.ts';

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
    const combined = own.merge(host);
    this.combined.set(host, combined);
    return combined;
  }
}
