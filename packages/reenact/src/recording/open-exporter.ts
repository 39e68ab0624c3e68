import { createRequire } from 'node:module';
import type * as exporterPackage from '@opentelemetry/exporter-trace-otlp-http';

const require = createRequire(import.meta.url);

/** What the standard exporter is made with. */
export type ExporterSettings = NonNullable<ConstructorParameters<typeof exporterPackage.OTLPTraceExporter>[0]>;

/**
 * OpenTelemetry's own OTLP/HTTP exporter, loaded when it is first asked for: it brings some 200 modules, and most replays need none. A
 * process that records makes it before the program's first line: loaded any later, it would hold the program up between two of its timers.
 */
export function openExporter(settings: ExporterSettings): exporterPackage.OTLPTraceExporter {
  const { OTLPTraceExporter }: typeof exporterPackage = require('@opentelemetry/exporter-trace-otlp-http');
  return new OTLPTraceExporter(settings);
}
