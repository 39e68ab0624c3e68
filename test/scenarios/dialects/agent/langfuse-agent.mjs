// A support agent on the openai package, recorded by Langfuse. PACKAGES_FOLDER says where its packages are installed.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const { resolve } = createRequire(`${process.env.PACKAGES_FOLDER}/`);
const load = async (name) => import(pathToFileURL(resolve(name)).href);
const { NodeSDK } = await load('@opentelemetry/sdk-node');
const { OTLPTraceExporter } = await load('@opentelemetry/exporter-trace-otlp-proto');
const { LangfuseSpanProcessor } = await load('@langfuse/otel');
const { propagateAttributes, startActiveObservation } = await load('@langfuse/tracing');
const { observeOpenAI } = await load('@langfuse/openai');
const { default: OpenAI } = await load('openai');

const processor = new LangfuseSpanProcessor({ exporter: new OTLPTraceExporter(), publicKey: 'pk', secretKey: 'sk' });
const telemetry = new NodeSDK({ spanProcessors: [processor], instrumentations: [] });
telemetry.start();

const model = 'gpt-4o-mini';
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

async function findOrder(call) {
  const input = JSON.parse(call.function.arguments);
  return startActiveObservation(
    call.function.name,
    async (observation) => {
      const output = { ...input, carrier: 'Möwe Express' };
      observation.update({ input, output });
      return { role: 'tool', tool_call_id: call.id, content: JSON.stringify(output) };
    },
    { asType: 'tool' },
  );
}

async function answer(client, question) {
  const messages = [
    { role: 'system', content: 'You help customers of a shop.' },
    { role: 'user', content: question },
  ];
  const first = await client.chat.completions.create({ model, messages, tools, temperature: 0.2, max_tokens: 300 });
  messages.push(first.choices[0].message, await findOrder(first.choices[0].message.tool_calls[0]));
  const stream_options = { include_usage: true };
  const request = { model, messages, tools, stream: true, stream_options };
  let text = '';
  for await (const chunk of await client.chat.completions.create(request))
    text += chunk.choices[0]?.delta.content ?? '';
  await client.chat.completions
    .create({ model, messages: [{ role: 'user', content: 'Please fail.' }] })
    .catch(() => {});
  return text;
}

const who = { userId: 'user-7', sessionId: 'session-9' };
const question = 'Where is my order 4711?';
const client = observeOpenAI(new OpenAI({ maxRetries: 0 }));
await propagateAttributes(who, () =>
  startActiveObservation(
    'support',
    async (observation) => {
      const output = await answer(client, question);
      observation.update({ input: question, output });
      console.log(output);
    },
    { asType: 'agent' },
  ),
);
await telemetry.shutdown();
