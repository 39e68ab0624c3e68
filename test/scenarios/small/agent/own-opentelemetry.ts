// An app that sets up OpenTelemetry itself and adds our processor and instrumentation; started without any hook.
import { trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import OpenAI from 'openai';
import { agent, instrumentOpenAI, RecordingProcessor, tool } from 'reenact';

const seenByHost = new InMemorySpanExporter();
const provider = new NodeTracerProvider({
  spanProcessors: [new SimpleSpanProcessor(seenByHost), new RecordingProcessor(new OTLPTraceExporter())],
});
provider.register();

const lookUp = tool('look_up', async ({ key }: { key: string }) => ({ key, detail: 'only the recording sees this' }), {
  effect: 'read',
});
const openai = instrumentOpenAI(new OpenAI());

const run = agent('hosted', async () => {
  const found = await lookUp({ key: 'a' });
  const answer = await openai.chat.completions.create({
    model: 'gpt-5-mini',
    messages: [{ role: 'user', content: `say ${found.key}` }],
  });
  return answer.choices[0]?.message.content;
});

await trace.getTracer('app').startActiveSpan('request', async (span) => {
  console.log(await run());
  span.end();
});
await provider.forceFlush();
const names = seenByHost.getFinishedSpans().map(({ name }) => name);
const attributes = JSON.stringify(seenByHost.getFinishedSpans().map((span) => span.attributes));
console.log(
  JSON.stringify({
    names,
    hostSeesSecret: attributes.includes('only the recording'),
    traceId: seenByHost.getFinishedSpans()[0]?.spanContext().traceId,
  }),
);
await provider.shutdown();
