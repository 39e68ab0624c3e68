import { writeFileSync } from 'node:fs';
import { context, createContextKey } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import type { Attempts } from './attempts.ts';

const url = `http://127.0.0.1:${process.env.HTTP_PORT}/v1/traces`;

// As the OpenTelemetry SDK names it, in whatever copy of it.
const suppressed = createContextKey('OpenTelemetry SDK Context Key SUPPRESS_TRACING');

/** The agent's own OpenTelemetry, which goes on exporting; and what only looks like it. */
export const attempts: Attempts = {
  'an exporter': async () => {
    const provider = new NodeTracerProvider({
      spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url }))],
    });
    provider.getTracer('own').startSpan('own').end();
    await provider.forceFlush();
  },
  'fs.writeFileSync where tracing is suppressed': () =>
    context.with(context.active().setValue(suppressed, true), () => writeFileSync('exported.txt', 'x')),
};
