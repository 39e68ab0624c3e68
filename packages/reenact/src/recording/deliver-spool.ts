// Run by itself when a process ends with spans in its spool: delivers that folder as the OTEL_EXPORTER_OTLP_* variables say.
// Exit code 0 means that all were taken.
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { deliverSpoolFolder } from '@reenact/instrumentation';
import { DELIVER_AT_EXIT_MS_MAX } from '../limits.ts';

async function deliver(folder: string): Promise<boolean> {
  const exporter = new OTLPTraceExporter({ timeoutMillis: DELIVER_AT_EXIT_MS_MAX });
  const { isDone } = await deliverSpoolFolder(folder, exporter);
  await exporter.shutdown();
  return isDone;
}

const [, , folder] = process.argv;
if (folder !== undefined) process.exitCode = (await deliver(folder).catch(() => false)) ? 0 : 1;
