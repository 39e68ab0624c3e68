// A support agent on the AI SDK with the telemetry that it had before version 7, which its integration still offers.
import { createOpenAI } from '@ai-sdk/openai';
import { LegacyOpenTelemetry } from '@ai-sdk/otel';
import { trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { embed, generateText, isStepCount, jsonSchema, registerTelemetry, streamText, tool } from 'ai';

const resource = resourceFromAttributes({ 'service.name': process.env.OTEL_SERVICE_NAME });
const telemetry = new NodeTracerProvider({
  resource,
  spanProcessors: [new SimpleSpanProcessor(new OTLPTraceExporter())],
});
telemetry.register();
registerTelemetry(new LegacyOpenTelemetry());

const provider = createOpenAI({ baseURL: process.env.OPENAI_BASE_URL, apiKey: 'local' });
const parameters = { type: 'object', properties: { number: { type: 'string' } }, required: ['number'] };
const find_order = tool({
  description: 'Finds an order by its number.',
  inputSchema: jsonSchema(parameters),
  execute: async ({ number }) => ({ number, carrier: 'Möwe Express' }),
});
const settings = {
  model: provider.chat('gpt-4o-mini'),
  instructions: 'You help customers of a shop.',
  prompt: 'Where is my order 4711?',
  tools: { find_order },
  stopWhen: isStepCount(3),
  temperature: 0.2,
  telemetry: { functionId: 'support' },
};

await trace.getTracer('support').startActiveSpan('answer customer', async (root) => {
  await generateText(settings);
  const { textStream } = streamText(settings);
  let text = '';
  for await (const piece of textStream) text += piece;
  await embed({ model: provider.embedding('text-embedding-3-small'), value: 'order 4711' });
  await generateText({ model: settings.model, prompt: 'Please fail.', maxRetries: 0 }).catch(() => {});
  console.log(text);
  root.end();
});
await telemetry.shutdown();
