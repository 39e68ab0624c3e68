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

const client = new OpenAI();
const openai = process.env.UNWRAPPED === '1' ? client : instrumentOpenAI(client);

class Roll {
  readonly rolled: number;
  constructor(rolled: number) {
    this.rolled = rolled;
  }
  shown(): string {
    return `${this.rolled}`;
  }
}

class TableClosed extends Error {}

const roll = tool('roll', async () => new Roll(Math.random()), { effect: 'write', values: [Roll] });
const close = tool(
  'close',
  async () => {
    throw new TableClosed('closed already');
  },
  { effect: 'write', errors: [TableClosed] },
);

const run = agent('bundled', async () => {
  const made = await roll();
  const isClosed = await close().catch((error: unknown) => error instanceof TableClosed);
  const content = `${process.env.PROMPT ?? 'say'} ${made.shown()} at ${Date.now()}`;
  const answer = await openai.chat.completions.create({ model: 'gpt-5-mini', messages: [{ role: 'user', content }] });
  return { rolled: made.rolled, isClosed, text: answer.choices[0]?.message.content };
});

void run().then(async (value) => {
  console.log(JSON.stringify(value));
  await provider.shutdown();
  http.disable();
});
