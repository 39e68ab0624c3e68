// An app that sets up OpenTelemetry itself, and has a span of its own around calls of a model, and no agent.
import { trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import OpenAI from 'openai';
import { instrumentOpenAI, RecordingProcessor } from 'reenact';

const provider = new NodeTracerProvider({ spanProcessors: [new RecordingProcessor(new OTLPTraceExporter())] });
provider.register();
const openai = instrumentOpenAI(new OpenAI());

await trace.getTracer('app').startActiveSpan('request', async (span) => {
  for (const content of ['one', 'two']) {
    await openai.chat.completions.create({ model: 'gpt-5-mini', messages: [{ role: 'user', content }] });
  }
  span.end();
});
await provider.shutdown();
