// An app that sets up OpenTelemetry itself and calls a model three times, with no agent and no span around the calls: each is a trace of
// its own. ASKED is what the second call asks for. With FORGETS_SHUTDOWN=1 it ends as
// programs do whose author never heard of shutting an SDK down. With SPOOLS=1 it keeps on the disk what is not delivered.
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import OpenAI from 'openai';
import { instrumentOpenAI, RecordingProcessor } from 'reenact';

const options = process.env.SPOOLS === '1' ? { spool: true as const } : {};
const provider = new NodeTracerProvider({ spanProcessors: [new RecordingProcessor(new OTLPTraceExporter(), options)] });
provider.register();
const openai = instrumentOpenAI(new OpenAI());
let latest = 'one';

for (const content of ['one', process.env.ASKED ?? 'two', 'three']) {
  const { choices } = await openai.chat.completions.create({
    model: 'gpt-5-mini',
    messages: [
      { role: 'assistant', content: latest },
      { role: 'user', content },
    ],
  });
  latest = choices[0]?.message.content ?? '';
  console.log(`${content}: ${latest}`);
}
if (process.env.FORGETS_SHUTDOWN !== '1') await provider.shutdown();
