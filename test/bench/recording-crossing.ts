// What a recorded crossing costs beside an OpenTelemetry span of the same content, JSON-stringified and exported in batches.
// Goal: at most 1.5 times. Run it with: node --conditions=@reenact/source test/bench/recording-crossing.ts [--smoke]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { context, type Tracer, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { agent, gate, RecordingProcessor, tool } from '@reenact/instrumentation';
import { type Arm, compare, isSmoke, printComparison } from './comparison.ts';
import { startSink } from './sink.ts';

const CALLS = isSmoke ? 20 : 400;
const ROUNDS = isSmoke ? 2 : 30;

interface Quote {
  readonly symbol: string;
  readonly price: number;
  readonly history: readonly { readonly day: string; readonly close: number }[];
}

async function fetchQuote({ symbol }: { symbol: string; fields: readonly string[] }): Promise<Quote> {
  const history = Array.from({ length: 20 }, (_, day) => ({ day: `2026-11-${day + 1}`, close: 100 + day / 8 }));
  return { symbol, price: 189.5, history };
}

const input = { symbol: 'ACME', fields: ['price', 'history', 'volume'] };

function spanArm(tracer: Tracer, flush: () => Promise<void>): Arm {
  const call = (): Promise<Quote> =>
    tracer.startActiveSpan(
      'execute_tool get_quote',
      { attributes: { input: JSON.stringify([input]) } },
      async (span) => {
        const quote = await fetchQuote(input);
        span.setAttribute('output', JSON.stringify(quote));
        span.end();
        return quote;
      },
    );
  const run = (calls: number): Promise<void> =>
    tracer.startActiveSpan('run', async (span) => {
      for (let index = 0; index < calls; index += 1) await call();
      span.end();
    });
  return { name: 'OpenTelemetry span', run, flush };
}

function crossingArm(name: string, recorder: RecordingProcessor): Arm {
  const getQuote = tool('get_quote', fetchQuote, { effect: 'read' });
  const cross = agent('run', async (calls: number) => {
    for (let index = 0; index < calls; index += 1) await getQuote(input);
  });
  const run = (calls: number): Promise<void> => {
    gate.configure({ recorder });
    return cross(calls);
  };
  return { name, run, flush: () => recorder.forceFlush() };
}

const sink = await startSink();
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
const batches = new BatchSpanProcessor(new OTLPTraceExporter({ url: sink.url }));
const plain = new NodeTracerProvider({ spanProcessors: [batches] });
const spoolFolder = mkdtempSync(join(tmpdir(), 'reenact-bench-'));
const processor = new RecordingProcessor(new OTLPTraceExporter({ url: sink.url }), {
  spool: { directory: spoolFolder, destination: sink.url },
});
const unspooled = new RecordingProcessor(new OTLPTraceExporter({ url: sink.url }));
const own = new NodeTracerProvider({ spanProcessors: [processor] });
trace.setGlobalTracerProvider(own);
gate.configure({ tracerProvider: own });
const arms = [
  spanArm(plain.getTracer('bench'), () => batches.forceFlush()),
  crossingArm('crossing', unspooled),
  crossingArm('crossing with spool', processor),
];
printComparison(await compare(arms, ROUNDS, CALLS));
await processor.shutdown();
await unspooled.shutdown();
await plain.shutdown();
await sink.stop();
rmSync(spoolFolder, { recursive: true });
