// Run by itself when a process ends with spans in its spool, or in that of one that it had started: delivers those folders as the OTEL_EXPORTER_OTLP_*
// variables say. Exit code 0 means that all were taken.
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { deliverSpoolFolder } from '@reenact/instrumentation';
import { DELIVER_AT_EXIT_MS_MAX } from '../limits.ts';

async function deliver(folders: readonly string[]): Promise<boolean> {
  const exporter = new OTLPTraceExporter({ timeoutMillis: DELIVER_AT_EXIT_MS_MAX });
  let isAllDone = true;
  for (const folder of folders) {
    const { isDone } = await deliverSpoolFolder(folder, exporter);
    isAllDone &&= isDone;
  }
  await exporter.shutdown();
  return isAllDone;
}

const [, , ...folders] = process.argv;
if (folders.length > 0) process.exitCode = (await deliver(folders).catch(() => false)) ? 0 : 1;
