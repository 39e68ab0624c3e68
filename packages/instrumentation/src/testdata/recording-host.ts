import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import type { Resource } from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  type Sampler,
  SimpleSpanProcessor,
  type SpanLimits,
} from '@opentelemetry/sdk-trace-base';
import { gate, RecordingProcessor, type RecordingProcessorOptions } from '../index.ts';

/** How the host set up OpenTelemetry. */
export interface HostOptions extends RecordingProcessorOptions {
  readonly sampler?: Sampler;
  readonly spanLimits?: SpanLimits;
  /** Resource of the host's own provider. */
  readonly hostResource?: Resource;
}

/** A host with the real SDK: our recording processor beside an exporter of its own, which sees slim spans. */
export class RecordingHost {
  readonly recordings = new InMemorySpanExporter();
  readonly own = new InMemorySpanExporter();
  readonly processor: RecordingProcessor;
  readonly provider: BasicTracerProvider;

  constructor(options: HostOptions = {}) {
    const { sampler, spanLimits, hostResource, ...processorOptions } = options;
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    this.processor = new RecordingProcessor(this.recordings, processorOptions);
    this.provider = new BasicTracerProvider({
      spanProcessors: [this.processor, new SimpleSpanProcessor(this.own)],
      ...(hostResource === undefined ? {} : { resource: hostResource }),
      ...(sampler === undefined ? {} : { sampler }),
      ...(spanLimits === undefined ? {} : { spanLimits }),
    });
    trace.setGlobalTracerProvider(this.provider);
  }

  /** Everything the recording processor exported. */
  async recorded(): Promise<ReadableSpan[]> {
    await this.processor.forceFlush();
    return this.recordings.getFinishedSpans();
  }

  /** The one recorded span of this name. */
  async recordedAs(name: string): Promise<ReadableSpan> {
    const spans = (await this.recorded()).filter((span) => span.name === name);
    const [span] = spans;
    if (span === undefined || spans.length > 1) throw new TypeError(`${spans.length} spans are called ${name}`);
    return span;
  }

  /** Leaves no trace in the process for the next test. */
  async stop(): Promise<void> {
    await this.processor.shutdown();
    await this.provider.shutdown();
    gate.configure({ recorder: undefined, tracerProvider: undefined, rootContext: undefined });
    gate.enable();
    trace.disable();
    context.disable();
  }
}
