import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { createCollectorClient } from '@reenact/collector-client';
import { assembleRecording } from '@reenact/dialects';
import { RecordingProcessor } from '@reenact/instrumentation';
import { leaksIn, PLANTED_SECRETS } from '@reenact/instrumentation/testing';
import { HttpInstrumentation } from '@reenact/instrumentation-http';
import { replay } from '@reenact/replay';
import type { Recording } from '@reenact/trace-model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Testbed } from '../testbed.ts';
import { LeakyServer, leakyAgent } from './leaky-agent.ts';
import { requestsTo } from './requests-to.ts';
import { WireTap } from './wire-tap.ts';

const testbed = new Testbed();
// The servers run in this process, too, and the tap sends on what it was sent: none of that is the agent's.
const http = new HttpInstrumentation({
  inbound: false,
  ignoreOutbound: ({ url }) => !/^\/agent\/[^/]+\/p/.test(url.pathname),
});
const own = new InMemorySpanExporter();
let tap: WireTap;
let collectorUrl: string;
let processor: RecordingProcessor;
let provider: NodeTracerProvider;

beforeAll(async () => {
  collectorUrl = (await testbed.start()).httpUrl;
  tap = await WireTap.start(collectorUrl);
  processor = new RecordingProcessor(new OTLPTraceExporter({ url: `${tap.url}/v1/traces` }));
  provider = new NodeTracerProvider({ spanProcessors: [processor, new SimpleSpanProcessor(own)] });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(provider);
  http.enable();
});

afterAll(async () => {
  http.disable();
  await provider.shutdown();
  trace.disable();
  context.disable();
  await tap.stop();
  await testbed.dispose();
});

/** Runs the agent for real; what came to the collector, through its own API. */
async function record(run: () => Promise<unknown>): Promise<Recording> {
  own.reset();
  await run();
  await processor.forceFlush();
  const traceId = own.getFinishedSpans().at(-1)?.spanContext().traceId ?? '';
  return assembleRecording(await createCollectorClient({ url: collectorUrl }).getRecording(traceId));
}

describe.each(PLANTED_SECRETS)('$kind', (planted) => {
  it('leaves the process in no form, and the run replays', async () => {
    const { text } = planted;
    const server = await LeakyServer.start(text);
    const run = leakyAgent(text, server.url);
    const recording = await record(run);
    const ownSpans = own
      .getFinishedSpans()
      .map(({ name, attributes, events, status }) => [name, attributes, events, status]);
    expect(leaksIn(tap.text, [planted])).toEqual([]);
    expect(leaksIn(JSON.stringify(ownSpans), [planted])).toEqual([]);
    expect(recording.crossings.map(({ name }) => name).filter((name) => name === 'echo')).toHaveLength(6);
    expect(server.requests).toHaveLength(4);
    const { sent, value: report } = await requestsTo(server.url, () => replay({ recording, run }));
    // Neither did one leave this process, nor did one arrive.
    expect([sent, server.requests.length]).toEqual([[], 4]);
    await server.stop();
    expect(report.divergences).toEqual([]);
    expect([report.exitCode, leaksIn(JSON.stringify(report.crossings), [planted])]).toEqual([0, []]);
  });
});
