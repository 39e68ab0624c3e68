// Records an agent that is given a secret, or replays it. Arguments: `record` or `replay`, and the file of the recording.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import { InMemorySpanExporter, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { assembleRecording } from '@reenact/dialects';
import { agent, RecordingProcessor, tool } from '@reenact/instrumentation';
import { decodeTracesJson } from '@reenact/otlp';
import { replay } from '@reenact/replay';
import { withKeyedRpc } from './keyed-rpc.ts';

const [act, file = ''] = process.argv.slice(2);
const look = tool('look', async (_credentials: object) => ({ orders: 3 }), { effect: 'read' });
let use: () => Promise<string>;
const run = agent('keyed', async () => ({
  ...(await look({ user: 'ada', password: 'hunter2-hunter2' })),
  used: await use(),
}));

context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());

async function record(): Promise<void> {
  const exporter = new InMemorySpanExporter();
  const processor = new RecordingProcessor(exporter);
  trace.setGlobalTracerProvider(new NodeTracerProvider({ spanProcessors: [processor] }));
  await run();
  await processor.forceFlush();
  writeFileSync(file, JsonTraceSerializer.serializeRequest(exporter.getFinishedSpans()) ?? '');
}

async function replayed(): Promise<void> {
  const decoded = decodeTracesJson(readFileSync(file, 'utf8'));
  if (!decoded.ok) throw new TypeError(decoded.problem.message);
  const { value, error, ...report } = await replay({ recording: assembleRecording(decoded.data), run });
  console.log(JSON.stringify({ report, value, error }));
  process.exitCode = report.exitCode;
}

await withKeyedRpc({ path: join(dirname(file), 'keys.sock'), isServed: act === 'record' }, async (given) => {
  use = given;
  await (act === 'record' ? record() : replayed());
});
