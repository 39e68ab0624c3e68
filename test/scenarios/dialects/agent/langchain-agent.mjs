// A support agent on LangChain.js, recorded by OpenInference, OpenLLMetry or Langfuse: DIALECT says which. PACKAGES_FOLDER says where its packages are.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const { resolve } = createRequire(`${process.env.PACKAGES_FOLDER}/`);
const load = async (name) => import(pathToFileURL(resolve(name)).href);
const { NodeSDK } = await load('@opentelemetry/sdk-node');
const { OTLPTraceExporter } = await load('@opentelemetry/exporter-trace-otlp-proto');
const { trace } = await load('@opentelemetry/api');
const callbacks = await load('@langchain/core/callbacks/manager');

const isLangfuse = process.env.DIALECT === 'langfuse';

async function langfuseProcessors() {
  const { LangfuseSpanProcessor } = await load('@langfuse/otel');
  return [new LangfuseSpanProcessor({ exporter: new OTLPTraceExporter(), publicKey: 'pk', secretKey: 'sk' })];
}

const sending = isLangfuse
  ? { spanProcessors: await langfuseProcessors() }
  : { traceExporter: new OTLPTraceExporter() };
const telemetry = new NodeSDK({ ...sending, instrumentations: [] });
telemetry.start();
const handlers = [];
if (isLangfuse) {
  const { CallbackHandler } = await load('@langfuse/langchain');
  handlers.push(new CallbackHandler({ userId: 'user-7', sessionId: 'session-9' }));
} else if (process.env.DIALECT === 'openinference') {
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

async function answer() {
  const { messages } = await agent.invoke(question, { ...who, callbacks: handlers });
  console.log(messages.at(-1).content);
}

// What is not its own, Langfuse does not send on.
if (isLangfuse) await answer();
else
  await trace.getTracer('support').startActiveSpan('answer customer', async (root) => {
    await answer();
    root.end();
  });
await telemetry.shutdown();
