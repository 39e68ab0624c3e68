import { defaultResource, type Resource, resourceFromAttributes } from '@opentelemetry/resources';
import { describe, expect, it } from 'vitest';
import { SpanResources } from './span-resources.ts';

const own = resourceFromAttributes({ 'service.name': 'trader', 'process.pid': 7 });

/** As OpenTelemetry 1 has it: attributes, and no list of them. */
class FirstResource {
  asyncAttributesPending = true;
  private readonly _syncAttributes = { 'service.name': 'shop' };
  private readonly detected = { ...this._syncAttributes, 'host.name': 'one' };

  get attributes(): object {
    if (this.asyncAttributesPending) throw new Error('read before it was detected');
    return this.detected;
  }
  merge(): this {
    return this;
  }
}

describe('the resource that a span is exported with', () => {
  it('has what a resource of OpenTelemetry 1 says, and more of it once that is known', () => {
    const resources = new SpanResources(own);
    const first = new FirstResource();
    const host = first as unknown as Resource;
    expect(resources.of(host).attributes).toEqual({ 'service.name': 'shop', 'process.pid': 7 });
    first.asyncAttributesPending = false;
    const whole = resources.of(host);
    expect(whole.attributes).toEqual({ 'service.name': 'shop', 'process.pid': 7, 'host.name': 'one' });
    expect(resources.of(host)).toBe(whole);
  });

  it('keeps a name that is known against what an SDK calls a service that nobody named', () => {
    const { attributes } = new SpanResources(own).of(defaultResource());
    expect(attributes).toMatchObject({ 'service.name': 'trader', 'telemetry.sdk.language': 'nodejs' });
    const unnamed = new SpanResources(resourceFromAttributes({})).of(defaultResource());
    expect(unnamed.attributes['service.name']).toMatch(/^unknown_service/);
  });
});
