import { context, ROOT_CONTEXT, type Span, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { besideRuns } from './spans-beside-runs.ts';

beforeAll(() => context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable()));
afterAll(() => context.disable());

function end(span: Span): unknown {
  const active = trace.getActiveSpan();
  span.end();
  return active;
}

describe('a tracer whose spans are made beside the runs', () => {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const tracer = besideRuns(provider.getTracer('host', '1.0.0'));

  it('makes a span active in each of the ways to ask for one, and gives what the work gave', () => {
    const outer = tracer.startSpan('outer');
    const inOuter = trace.setSpan(ROOT_CONTEXT, outer);
    const work = (span: Span): boolean => end(span) === span;
    expect(tracer.startActiveSpan('plain', work)).toBe(true);
    expect(tracer.startActiveSpan('with options', { attributes: { a: 1 } }, work)).toBe(true);
    expect(tracer.startActiveSpan('below outer', {}, inOuter, work)).toBe(true);
    const [plain, withOptions, below] = exporter.getFinishedSpans();
    expect(plain?.parentSpanContext).toBeUndefined();
    expect(withOptions?.attributes).toEqual({ a: 1 });
    expect(below?.parentSpanContext?.spanId).toBe(outer.spanContext().spanId);
    expect(below?.instrumentationScope).toMatchObject({ name: 'host', version: '1.0.0' });
  });

  it('throws what the work throws', () => {
    const crash = (): never => {
      throw new Error('of the host');
    };
    expect(() => tracer.startActiveSpan('failing', crash)).toThrow('of the host');
  });
});
