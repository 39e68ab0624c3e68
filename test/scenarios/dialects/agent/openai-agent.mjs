// A support agent on the openai package, recorded by another vendor's instrumentation: DIALECT says which. Without one it asks the same, and nobody
// records it.
import { OpenAIInstrumentation as OpenInference } from '@arizeai/openinference-instrumentation-openai';
import { context, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { OpenAIInstrumentation as Traceloop } from '@traceloop/instrumentation-openai';
import OpenAI from 'openai';

const resource = resourceFromAttributes({ 'service.name': process.env.OTEL_SERVICE_NAME });
const telemetry = new NodeTracerProvider({
  resource,
  spanProcessors: [new SimpleSpanProcessor(new OTLPTraceExporter())],
});
telemetry.register();
const instrumentations = { openinference: OpenInference, openllmetry: Traceloop };
const Instrumentation = instrumentations[process.env.DIALECT];
if (Instrumentation !== undefined) {
  const instrumentation = new Instrumentation();
  instrumentation.setTracerProvider(telemetry);
  instrumentation.manuallyInstrument(OpenAI);
}

const tools = [
  {
    type: 'function',
    function: {
      name: 'find_order',
      description: 'Finds an order by its number.',
      parameters: { type: 'object', properties: { number: { type: 'string' } }, required: ['number'] },
    },
  },
];

async function answer(client) {
  const model = 'gpt-4o-mini';
  const messages = [
    { role: 'system', content: 'You help customers of a shop.' },
    { role: 'user', content: 'Where is my order 4711?' },
  ];
  const first = await client.chat.completions.create({ model, messages, tools, temperature: 0.2, max_tokens: 300 });
  const [call] = first.choices[0].message.tool_calls;
  messages.push(first.choices[0].message);
  messages.push({ role: 'tool', tool_call_id: call.id, content: '{"number":"4711","carrier":"Möwe Express"}' });
  const stream_options = { include_usage: true };
  let text = '';
  for await (const chunk of await client.chat.completions.create({
    model,
    messages,
    tools,
    stream: true,
    stream_options,
  }))
    text += chunk.choices[0]?.delta.content ?? '';
  if (Instrumentation === undefined) return text;
  await client.embeddings.create({ model: 'text-embedding-3-small', input: 'order 4711' });
  await client.chat.completions
    .create({ model, messages: [{ role: 'user', content: 'Please fail.' }] })
    .catch(() => {});
  return text;
}

const root = trace.getTracer('support').startSpan('answer customer');
console.log(await context.with(trace.setSpan(context.active(), root), () => answer(new OpenAI({ maxRetries: 0 }))));
root.end();
if (Instrumentation !== undefined) await telemetry.shutdown();
