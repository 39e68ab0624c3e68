import { get } from 'node:http';
import { text } from 'node:stream/consumers';
import { context } from '@opentelemetry/api';
import { type ExportResult, ExportResultCode, suppressTracing } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { BatchSpanProcessor, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { agent, tool } from 'reenact';

const SERVER = `${process.env.SERVER_URL}`;

/** As clients do that have spans of their own around what they send, and apps that keep a request out of their traces. */
function untraced<Result>(work: () => Result): Result {
  return context.with(suppressTracing(context.active()), work);
}

/** An exporter that speaks no protocol of OpenTelemetry. */
const ownExporter = {
  export: (spans: readonly unknown[], done: (result: ExportResult) => void) => {
    void fetch(`${SERVER}/spans-of-mine`, { method: 'POST', body: `${spans.length}` })
      .then((response) => response.text())
      .then(() => done({ code: ExportResultCode.SUCCESS }));
  },
  shutdown: async () => undefined,
};

const provider = new NodeTracerProvider({
  spanProcessors: [
    new BatchSpanProcessor(new OTLPTraceExporter({ url: `${SERVER}/v1/traces` })),
    new SimpleSpanProcessor(ownExporter),
  ],
});

function got(path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get(`${SERVER}${path}`, (response) => resolve(text(response))).on('error', reject);
  });
}

const draw = tool('draw', async () => Math.random(), { effect: 'read' });

const run = agent('starter', async () => {
  provider.getTracer('own').startSpan('own').end();
  const started = await untraced(async () =>
    (await fetch(`${SERVER}/tasks`, { method: 'POST', body: 'start' })).text(),
  );
  const asked = await untraced(() => got('/state'));
  const drawn = await untraced(async () => [Math.random(), await draw()]);
  await provider.forceFlush();
  return { started, asked, drawn };
});

console.log(JSON.stringify(await run()));
