// A support agent on the AI SDK before version 7, with the telemetry of that time. AI_SDK_FOLDER says where ai and @ai-sdk/openai are installed.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';

const resource = resourceFromAttributes({ 'service.name': process.env.OTEL_SERVICE_NAME });
const telemetry = new NodeTracerProvider({
  resource,
  spanProcessors: [new SimpleSpanProcessor(new OTLPTraceExporter())],
});
telemetry.register();

const { resolve } = createRequire(`${process.env.AI_SDK_FOLDER}/`);
const load = async (name) => import(pathToFileURL(resolve(name)).href);
const { embed, generateText, jsonSchema, stepCountIs, streamText, tool } = await load('ai');
const { createOpenAI } = await load('@ai-sdk/openai');

const provider = createOpenAI({ baseURL: process.env.OPENAI_BASE_URL, apiKey: 'local', compatibility: 'strict' });
const schema = jsonSchema({ type: 'object', properties: { number: { type: 'string' } }, required: ['number'] });
const find_order = tool({
  description: 'Finds an order by its number.',
  parameters: schema,
  inputSchema: schema,
  execute: async ({ number }) => ({ number, carrier: 'Möwe Express' }),
});
const experimental_telemetry = {
  isEnabled: true,
  functionId: 'support',
  metadata: { sessionId: 'session-9', userId: 'user-7' },
};
const model = provider.chat('gpt-4o-mini');
const settings = {
  model,
  system: 'You help customers of a shop.',
  prompt: 'Where is my order 4711?',
  tools: { find_order },
  ...(stepCountIs === undefined ? { maxSteps: 3 } : { stopWhen: stepCountIs(3) }),
  temperature: 0.2,
  experimental_telemetry,
};

await trace.getTracer('support').startActiveSpan('answer customer', async (root) => {
  await generateText(settings);
  const { textStream } = streamText(settings);
  let text = '';
  for await (const piece of textStream) text += piece;
  await embed({
    model: provider.textEmbeddingModel('text-embedding-3-small'),
    value: 'order 4711',
    experimental_telemetry,
  });
  await generateText({ model, prompt: 'Please fail.', maxRetries: 0, experimental_telemetry }).catch(() => {});
  console.log(text);
  root.end();
});
await telemetry.shutdown();
