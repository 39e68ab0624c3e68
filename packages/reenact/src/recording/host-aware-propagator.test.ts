import { propagation, ROOT_CONTEXT, type TextMapPropagator, trace } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { afterEach, describe, expect, it } from 'vitest';
import { HostAwarePropagator } from './host-aware-propagator.ts';

const spanContext = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), traceFlags: 1 };

function hostPropagator(header: string): TextMapPropagator {
  return {
    inject: (_context, carrier, setter) => setter.set(carrier, header, 'here'),
    extract: (read, carrier, getter) => read.setValue(Symbol.for(header), getter.get(carrier, header)),
    fields: () => [header],
  };
}

function injected(): Record<string, string> {
  const carrier: Record<string, string> = {};
  propagation.inject(trace.setSpanContext(ROOT_CONTEXT, spanContext), carrier);
  return carrier;
}

const register = propagation.setGlobalPropagator;
afterEach(() => {
  propagation.setGlobalPropagator = register;
  propagation.disable();
});

describe('the propagator of the register hook', () => {
  it('is ours where the host has none', () => {
    new HostAwarePropagator(new W3CTraceContextPropagator()).register();
    expect(Object.keys(injected())).toEqual(['traceparent']);
  });

  it('is that of a host which sets one up after the hook ran, and the first of these stays', () => {
    new HostAwarePropagator(new W3CTraceContextPropagator()).register();
    expect(propagation.setGlobalPropagator(hostPropagator('b3'))).toBe(true);
    expect(injected()).toEqual({ b3: 'here' });
    expect(propagation.fields()).toEqual(['b3']);
    expect(propagation.extract(ROOT_CONTEXT, { b3: 'there' }).getValue(Symbol.for('b3'))).toBe('there');
    expect(propagation.setGlobalPropagator(hostPropagator('other'))).toBe(false);
    expect(injected()).toEqual({ b3: 'here' });
  });

  it('is that of a host which had one before the hook', () => {
    propagation.setGlobalPropagator(hostPropagator('b3'));
    new HostAwarePropagator(new W3CTraceContextPropagator()).register();
    expect(injected()).toEqual({ b3: 'here' });
  });

  it('leaves its place to whoever emptied it first', () => {
    new HostAwarePropagator(new W3CTraceContextPropagator()).register();
    propagation.disable();
    expect(propagation.setGlobalPropagator(hostPropagator('b3'))).toBe(true);
    expect(injected()).toEqual({ b3: 'here' });
  });
});
