// An app with a NodeSDK of its own that adds our processor and instrumentation; started without any hook.
import { randomInt } from 'node:crypto';
import { trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace';
import { agent, HttpInstrumentation, installDrawRecording, RecordingProcessor, tool } from 'reenact';

installDrawRecording();
const seenByHost = new InMemorySpanExporter();
const ofHost = new SimpleSpanProcessor({ exporter: seenByHost });
const sdk = new NodeSDK({
  spanProcessors: [ofHost, new RecordingProcessor(new OTLPTraceExporter())],
  instrumentations: [new HttpInstrumentation()],
});
sdk.start();

const lookUp = tool('look_up', async (key) => ({ key, detail: 'only the recording sees this' }), { effect: 'read' });
const trade = agent('trader', async (symbol) => {
  const { key } = await lookUp(symbol);
  const response = await fetch(`${process.env.PRICES}/${key}`);
  return { price: await response.text(), order: Math.random(), id: crypto.randomUUID(), lot: randomInt(1_000_000) };
});

await trace.getTracer('app').startActiveSpan('request', async (span) => {
  console.log(JSON.stringify(await trade('ACME')));
  span.end();
});
await ofHost.forceFlush();
const spans = seenByHost.getFinishedSpans();
const { traceId } = spans[0].spanContext();
const seen = JSON.stringify(spans.map(({ attributes }) => attributes));
console.error(
  JSON.stringify({ traceId, names: spans.map(({ name }) => name), isSlim: !seen.includes('only the recording') }),
);
await sdk.shutdown();
