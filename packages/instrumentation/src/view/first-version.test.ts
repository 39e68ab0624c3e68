import { BasicTracerProvider, InMemorySpanExporter, type ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { afterEach, describe, expect, it } from 'vitest';
import { RecordingProcessor, tool } from '../index.ts';
import { RecordingHost } from '../testdata/recording-host.ts';
import { currentSpan } from './first-version.ts';

let host: RecordingHost | undefined;
afterEach(() => host?.stop());

/** As an SDK of OpenTelemetry 1 gives a span to its processors. */
function ofFirstVersion(name: string, parentSpanId?: string): ReadableSpan {
  let given: ReadableSpan | undefined;
  const noting = {
    onStart: () => undefined,
    onEnd: (span: ReadableSpan) => {
      const { instrumentationScope: instrumentationLibrary, spanContext, ...rest } = span;
      given = { ...rest, instrumentationLibrary, parentSpanId, spanContext: () => span.spanContext() } as never;
    },
    forceFlush: async () => undefined,
    shutdown: async () => undefined,
  };
  new BasicTracerProvider({ spanProcessors: [noting] }).getTracer('shop').startSpan(name).end();
  if (given === undefined) throw new Error('the span did not end');
  return given;
}

describe('a span of OpenTelemetry 1', () => {
  it('is exported with its scope and its parent', async () => {
    const exporter = new InMemorySpanExporter();
    const processor = new RecordingProcessor(exporter);
    const given = ofFirstVersion('checkout', 'b7ad6b7169203331');
    processor.onStart(given as never, {} as never);
    processor.onEnd(given);
    await processor.forceFlush();
    const [span] = exporter.getFinishedSpans();
    await processor.shutdown();
    expect(span?.instrumentationScope.name).toBe('shop');
    expect(span?.parentSpanContext).toMatchObject({ spanId: 'b7ad6b7169203331', traceId: given.spanContext().traceId });
    expect(span?.name).toBe('checkout');
  });

  it('without a parent has none', () => {
    expect(currentSpan(ofFirstVersion('checkout')).parentSpanContext).toBeUndefined();
  });
});

describe('an exporter of OpenTelemetry 1', () => {
  it('finds scope and parent of a crossing by the names that it knows', async () => {
    host = new RecordingHost();
    const inner = tool('inner', async () => 1);
    await tool('outer', async () => inner())();
    const [within, around] = [await host.recordedAs('execute_tool inner'), await host.recordedAs('execute_tool outer')];
    expect(within).toMatchObject({
      parentSpanId: around.spanContext().spanId,
      instrumentationLibrary: within.instrumentationScope,
    });
    expect(around).not.toHaveProperty('parentSpanId');
  });
});
