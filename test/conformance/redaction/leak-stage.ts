import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { createCollectorClient } from '@reenact/collector-client';
import { assembleRecording } from '@reenact/dialects';
import { RecordingProcessor } from '@reenact/instrumentation';
import { leaksIn, type PlantedSecret } from '@reenact/instrumentation/testing';
import type { Recording } from '@reenact/trace-model';
import { Testbed } from '../testbed.ts';
import { WireTap } from './wire-tap.ts';

/** A real collector behind a tap that keeps all that is sent to it, and a process that records to it and exports spans of its own. */
export class LeakStage {
  private readonly testbed: Testbed;
  private readonly collectorUrl: string;
  private readonly tap: WireTap;
  private readonly processor: RecordingProcessor;
  private readonly own = new InMemorySpanExporter();
  private readonly provider: NodeTracerProvider;

  private constructor(testbed: Testbed, collectorUrl: string, tap: WireTap) {
    this.testbed = testbed;
    this.collectorUrl = collectorUrl;
    this.tap = tap;
    this.processor = new RecordingProcessor(new OTLPTraceExporter({ url: `${tap.url}/v1/traces` }));
    this.provider = new NodeTracerProvider({ spanProcessors: [this.processor, new SimpleSpanProcessor(this.own)] });
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    trace.setGlobalTracerProvider(this.provider);
  }

  static async start(): Promise<LeakStage> {
    const testbed = new Testbed();
    const { httpUrl } = await testbed.start();
    return new LeakStage(testbed, httpUrl, await WireTap.start(httpUrl));
  }

  /** Runs an agent for real; what came to the collector, through its own API. */
  async record(run: () => Promise<unknown>): Promise<Recording> {
    this.own.reset();
    await run();
    await this.processor.forceFlush();
    const traceId = this.own.getFinishedSpans().at(-1)?.spanContext().traceId ?? '';
    return assembleRecording(await createCollectorClient({ url: this.collectorUrl }).getRecording(traceId));
  }

  /** Forms in which the secret left the process, to the collector ever or with the host's own spans of the last run. */
  leaksOf(planted: PlantedSecret): readonly unknown[] {
    const spans = this.own
      .getFinishedSpans()
      .map(({ name, attributes, events, status }) => [name, attributes, events, status]);
    return [...leaksIn(this.tap.text, [planted]), ...leaksIn(JSON.stringify(spans), [planted])];
  }

  async stop(): Promise<void> {
    await this.provider.shutdown();
    trace.disable();
    context.disable();
    await this.tap.stop();
    await this.testbed.dispose();
  }
}
