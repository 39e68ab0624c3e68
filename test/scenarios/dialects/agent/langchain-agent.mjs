// A support agent on LangChain.js, recorded by OpenInference or by OpenLLMetry: DIALECT says which. PACKAGES_FOLDER says where its packages are.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const { resolve } = createRequire(`${process.env.PACKAGES_FOLDER}/`);
const load = async (name) => import(pathToFileURL(resolve(name)).href);
const { NodeSDK } = await load('@opentelemetry/sdk-node');
const { OTLPTraceExporter } = await load('@opentelemetry/exporter-trace-otlp-proto');
const { trace } = await load('@opentelemetry/api');
const callbacks = await load('@langchain/core/callbacks/manager');

const telemetry = new NodeSDK({ traceExporter: new OTLPTraceExporter(), instrumentations: [] });
telemetry.start();
if (process.env.DIALECT === 'openinference') {
  const { LangChainInstrumentation } = await load('@arizeai/openinference-instrumentation-langchain');
  new LangChainInstrumentation().manuallyInstrument(callbacks);
} else {
  const { LangChainInstrumentation } = await load('@traceloop/instrumentation-langchain');
  new LangChainInstrumentation().manuallyInstrument({ callbackManagerModule: callbacks });
}

const { createAgent, tool } = await load('langchain');
const { ChatOpenAI } = await load('@langchain/openai');
const { z } = await load('zod');
const findOrder = tool(({ number }) => JSON.stringify({ number, carrier: 'Möwe Express' }), {
  name: 'find_order',
  description: 'Finds an order by its number.',
  schema: z.object({ number: z.string() }),
});
const model = new ChatOpenAI({ model: 'gpt-4o-mini', temperature: 0.2, maxRetries: 0 });
const systemPrompt = 'You help customers of a shop.';
const agent = createAgent({ model, tools: [findOrder], systemPrompt, name: 'support' });
const question = { messages: [{ role: 'user', content: 'Where is my order 4711?' }] };
const who = { configurable: { thread_id: 'thread-9' }, metadata: { session_id: 'session-9', user_id: 'user-7' } };
await trace.getTracer('support').startActiveSpan('answer customer', async (root) => {
  const { messages } = await agent.invoke(question, who);
  console.log(messages.at(-1).content);
  root.end();
});
await telemetry.shutdown();
