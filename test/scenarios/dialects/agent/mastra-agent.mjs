// A support agent on Mastra, recorded by its own exporter. PACKAGES_FOLDER says where its packages are installed.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const { resolve } = createRequire(`${process.env.PACKAGES_FOLDER}/`);
const load = async (name) => import(pathToFileURL(resolve(name)).href);
const { Mastra } = await load('@mastra/core');
const { Agent } = await load('@mastra/core/agent');
const { createTool } = await load('@mastra/core/tools');
const { Observability } = await load('@mastra/observability');
const { OtelExporter } = await load('@mastra/otel-exporter');
const { createOpenAI } = await load('@ai-sdk/openai');
const { z } = await load('zod');

const find_order = createTool({
  id: 'find_order',
  description: 'Finds an order by its number.',
  inputSchema: z.object({ number: z.string() }),
  execute: async ({ number }) => ({ number, carrier: 'Möwe Express' }),
});
const agent = new Agent({
  id: 'support',
  name: 'support',
  instructions: 'You help customers of a shop.',
  model: createOpenAI({ baseURL: process.env.OPENAI_BASE_URL, apiKey: 'local' }).chat('gpt-4o-mini'),
  tools: { find_order },
});
const endpoint = `${process.env.OTEL_EXPORTER_OTLP_ENDPOINT}/v1/traces`;
const exporters = [new OtelExporter({ provider: { custom: { endpoint, protocol: 'http/protobuf' } } })];
const observability = new Observability({ configs: { otel: { serviceName: 'support', exporters } } });
const mastra = new Mastra({ agents: { support: agent }, observability });
const { text } = await mastra.getAgent('support').generate('Where is my order 4711?', {
  modelSettings: { temperature: 0.2, maxRetries: 0 },
  tracingOptions: { metadata: { userId: 'user-7', sessionId: 'session-9', threadId: 'thread-9' } },
});
console.log(text);
await mastra.shutdown();
process.exit(0);
