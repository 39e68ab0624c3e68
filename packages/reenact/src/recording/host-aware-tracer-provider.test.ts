import { isSpanContextValid, type ProxyTracerProvider, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { afterEach, describe, expect, it } from 'vitest';
import { HostAwareTracerProvider } from './host-aware-tracer-provider.ts';

function providerWithExporter(): { provider: BasicTracerProvider; exporter: InMemorySpanExporter } {
  const exporter = new InMemorySpanExporter();
  return { provider: new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }), exporter };
}

afterEach(() => trace.disable());

describe('the tracer provider of the register hook', () => {
  it('becomes the global one when nobody else is, for tracers taken before as well', () => {
    const own = providerWithExporter();
    const early = trace.getTracer('host');
    const tracer = new HostAwareTracerProvider(own.provider).getTracer('reenact');
    tracer.startSpan('ours').end();
    early.startSpan('of the host').end();
    expect(own.exporter.getFinishedSpans().map(({ name }) => name)).toEqual(['ours', 'of the host']);
  });

  it('leaves the global place to a host that registers after the hook ran', () => {
    const own = providerWithExporter();
    const host = providerWithExporter();
    const tracer = new HostAwareTracerProvider(own.provider).getTracer('reenact');
    expect(trace.setGlobalTracerProvider(host.provider)).toBe(true);
    tracer.startSpan('crossing').end();
    expect(host.exporter.getFinishedSpans().map(({ name }) => name)).toEqual(['crossing']);
    expect(own.exporter.getFinishedSpans()).toEqual([]);
  });

  it('makes way for a host that registers after something was recorded', () => {
    const own = providerWithExporter();
    const host = providerWithExporter();
    const tracer = new HostAwareTracerProvider(own.provider).getTracer('reenact');
    tracer.startSpan('early').end();
    expect(trace.setGlobalTracerProvider(host.provider)).toBe(true);
    tracer.startSpan('crossing').end();
    trace.getTracer('host').startSpan('of the host').end();
    expect(host.exporter.getFinishedSpans().map(({ name }) => name)).toEqual(['crossing', 'of the host']);
    expect(own.exporter.getFinishedSpans().map(({ name }) => name)).toEqual(['early']);
    // The first of the host's own providers stays, as without us.
    expect(trace.setGlobalTracerProvider(providerWithExporter().provider)).toBe(false);
  });

  it('emits no spans of an SDK that would trace itself only because of us, and keeps what is inside where it was', () => {
    const own = providerWithExporter();
    const tracer = new HostAwareTracerProvider(own.provider).getTracer('reenact');
    const outer = tracer.startSpan('agent');
    const inAgent = trace.setSpan(ROOT_CONTEXT, outer);
    for (const scope of ['com.anthropic.sdk.typescript', 'com.anthropic.sdk.typescript.bedrock']) {
      const unasked = trace.getTracer(scope, '1.0.0');
      expect(isSpanContextValid(unasked.startSpan('anthropic.messages.create', {}, ROOT_CONTEXT).spanContext())).toBe(
        false,
      );
      expect(unasked.startSpan('anthropic.messages.create', {}, inAgent).spanContext()).toEqual(outer.spanContext());
    }
    trace.getTracer('com.anthropic.sdk.typescripts').startSpan('of the host').end();
    outer.end();
    expect(own.exporter.getFinishedSpans().map(({ name }) => name)).toEqual(['of the host', 'agent']);
  });

  it('leaves them to a host that registers a provider of its own', () => {
    const host = providerWithExporter();
    new HostAwareTracerProvider(providerWithExporter().provider);
    trace.setGlobalTracerProvider(host.provider);
    trace.getTracer('com.anthropic.sdk.typescript').startSpan('anthropic.messages.create').end();
    expect(host.exporter.getFinishedSpans()).toHaveLength(1);
  });

  it('can be flushed by whoever asks for the global provider, as before', async () => {
    const { provider } = providerWithExporter();
    new HostAwareTracerProvider(provider).getTracer('reenact').startSpan('ours').end();
    const registered = (trace.getTracerProvider() as ProxyTracerProvider).getDelegate() as BasicTracerProvider;
    await expect(registered.forceFlush()).resolves.toBeUndefined();
  });
});
