import { trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { gate, RecordingProcessor, type RecordingProcessorOptions } from '@reenact/instrumentation';
import { SPAN_QUEUE_MAX } from './limits.ts';

/** Says how many spans went out, so that nobody is measured who does nothing. */
class CountingExporter extends OTLPTraceExporter {
  count = 0;

  override export(...[spans, done]: Parameters<OTLPTraceExporter['export']>): void {
    this.count += spans.length;
    super.export(spans, done);
  }
}

/** How a program records. */
export interface RecorderOptions extends RecordingProcessorOptions {
  /** How long the exporter tries one request. Default: its own. */
  readonly timeoutMs?: number;
}

/** A program that records: an SDK of its own, with our processor as the only one. */
export interface RecorderHost {
  readonly processor: RecordingProcessor;
  /** Makes this one the recorder of the process. */
  use(): void;
  flush(): Promise<void>;
  exportedCount(): number;
  stop(): Promise<void>;
}

/** Sets one up that exports to `url`. Several may stand beside each other: the one that was told `use` last records. */
export function startRecorderHost(url: string, { timeoutMs, ...options }: RecorderOptions = {}): RecorderHost {
  const exporter = new CountingExporter(timeoutMs === undefined ? { url } : { url, timeoutMillis: timeoutMs });
  const processor = new RecordingProcessor(exporter, options);
  const provider = new NodeTracerProvider({ spanProcessors: [processor] });
  const use = (): void => gate.configure({ recorder: processor, tracerProvider: provider });
  use();
  return {
    processor,
    use,
    flush: () => processor.forceFlush(),
    exportedCount: () => exporter.count,
    stop: async () => {
      await provider.shutdown();
      gate.configure({ recorder: undefined, tracerProvider: undefined });
    },
  };
}

/** A program without Reenact: an SDK that exports its spans in batches, as most do. */
export interface SpanHost {
  readonly provider: NodeTracerProvider;
  flush(): Promise<void>;
  exportedCount(): number;
  stop(): Promise<void>;
}

/** Sets one up. `isGlobal`: instrumentations of others find it. */
export function startSpanHost(url: string, isGlobal: boolean): SpanHost {
  const exporter = new CountingExporter({ url });
  const batches = new BatchSpanProcessor(exporter, { maxQueueSize: SPAN_QUEUE_MAX });
  const provider = new NodeTracerProvider({ spanProcessors: [batches] });
  if (isGlobal) trace.setGlobalTracerProvider(provider);
  return {
    provider,
    flush: () => batches.forceFlush(),
    exportedCount: () => exporter.count,
    stop: () => provider.shutdown(),
  };
}
