// Sets recording up itself, and too late: the library of the model is loaded by then.
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import OpenAI from 'openai';
import { agent, OpenAIInstrumentation, RecordingProcessor } from 'reenact';

const provider = new NodeTracerProvider({ spanProcessors: [new RecordingProcessor(new OTLPTraceExporter())] });
provider.register();
new OpenAIInstrumentation();
const client = new OpenAI({ baseURL: `${process.env.MODEL_URL}/v1`, apiKey: 'none', maxRetries: 0 });

await agent('early', async () => {
  const asked = { model: 'm', messages: [{ role: 'user' as const, content: 'hello' }] };
  await client.chat.completions.create(asked).catch(() => undefined);
})();
await provider.shutdown();
