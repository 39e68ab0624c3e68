// An app that a bundler puts into one file with everything it uses: it sets up OpenTelemetry itself and wraps its client by hand.
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import OpenAI from 'openai';
import { agent, HttpInstrumentation, installDrawRecording, instrumentOpenAI, RecordingProcessor, tool } from 'reenact';

installDrawRecording();
const http = new HttpInstrumentation();
const provider = new NodeTracerProvider({
  spanProcessors: [new RecordingProcessor(new OTLPTraceExporter(), { spool: true })],
});
provider.register();

const openai = instrumentOpenAI(new OpenAI());
const roll = tool('roll', async () => ({ rolled: Math.random() }), { effect: 'write' });

const run = agent('bundled', async () => {
  const { rolled } = await roll();
  const content = `${process.env.PROMPT ?? 'say'} ${rolled} at ${Date.now()}`;
  const answer = await openai.chat.completions.create({ model: 'gpt-5-mini', messages: [{ role: 'user', content }] });
  return { rolled, text: answer.choices[0]?.message.content };
});

void run().then(async (value) => {
  console.log(JSON.stringify(value));
  await provider.shutdown();
  http.disable();
});
