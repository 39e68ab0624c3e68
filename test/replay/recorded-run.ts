import { setImmediate as turn } from 'node:timers/promises';
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import { NodeTracerProvider, type ReadableSpan, type SpanExporter } from '@opentelemetry/sdk-trace-node';
import { assembleRecording } from '@reenact/dialects';
import { gate, RecordingProcessor } from '@reenact/instrumentation';
import { decodeTracesJson } from '@reenact/otlp';
import type { Recording } from '@reenact/trace-model';

/** Keeps what is exported. */
class MemoryExporter implements SpanExporter {
  readonly spans: ReadableSpan[] = [];

  export(spans: ReadableSpan[], done: (result: { code: number }) => void): void {
    this.spans.push(...spans);
    done({ code: 0 });
  }

  async shutdown(): Promise<void> {
    this.spans.length = 0;
  }
}

/**
 * Records what `run` does in this process with the real gate and processor, and gives the recording as it would arrive, to
 * OTLP/JSON and back. What `run` throws belongs to it and is left out. Needs a registered context manager.
 */
export async function recordRun(run: () => unknown): Promise<Recording> {
  const exporter = new MemoryExporter();
  const recorder = new RecordingProcessor(exporter);
  gate.configure({ tracerProvider: new NodeTracerProvider({ spanProcessors: [recorder] }), recorder });
  // A connection to a server of the test that has just ended does not begin the run.
  await turn();
  try {
    await Promise.resolve(run()).catch(() => undefined);
    await recorder.forceFlush();
    const decoded = decodeTracesJson(new TextDecoder().decode(JsonTraceSerializer.serializeRequest(exporter.spans)));
    if (!decoded.ok) throw new TypeError(decoded.problem.message);
    return assembleRecording(decoded.data);
  } finally {
    gate.configure({ recorder: undefined, tracerProvider: undefined });
    await recorder.shutdown();
  }
}
