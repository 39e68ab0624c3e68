import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { context, trace } from '@opentelemetry/api';
import { agent, tool } from '@reenact/instrumentation';
import type { BenchResult, BenchSize } from './bench-result.ts';
import { startRecorderHost, startSpanHost } from './recorder-host.ts';
import { startSink } from './sink.ts';

const CALLS = 10;

/** What waits in each open run. */
const input = { symbol: 'ACME', fields: ['price', 'history', 'volume'] };

function collector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}

/** Kilobytes of the heap that each of `count` runs takes which have made their calls and not ended. */
async function openRunKb(open: (ended: Promise<void>) => Promise<unknown>, count: number): Promise<number> {
  const collect = collector();
  const { promise, resolve } = Promise.withResolvers<void>();
  collect();
  const before = process.memoryUsage().heapUsed;
  const runs = Array.from({ length: count }, () => open(promise));
  for (let turn = 0; turn < 5; turn += 1) await new Promise((next) => setImmediate(next));
  collect();
  const after = process.memoryUsage().heapUsed;
  resolve();
  await Promise.all(runs);
  return (after - before) / count / 1_024;
}

/** What an open run takes of memory: a run, and in it ten calls that wait, against the same as bare spans and as bare calls. */
export async function recorderMemory({ isSmoke }: BenchSize): Promise<BenchResult> {
  const count = isSmoke ? 10 : 1_000;
  const sink = await startSink();
  const plain = startSpanHost(sink.url, false);
  const tracer = plain.provider.getTracer('bench');
  const wait = (_: typeof input, ended: Promise<void>): Promise<void> => ended;
  const calls = (call: (ended: Promise<void>) => Promise<void>, ended: Promise<void>): Promise<unknown> =>
    Promise.all(Array.from({ length: CALLS }, () => call(ended)));
  const bareKb = await openRunKb((ended) => calls(async () => wait({ ...input }, ended), ended), count);
  const spanKb = await openRunKb((ended) => {
    const spanned = async (): Promise<void> => {
      const span = tracer.startSpan('execute_tool wait', { attributes: { input: JSON.stringify([input]) } });
      await context.with(trace.setSpan(context.active(), span), () => wait({ ...input }, ended));
      span.end();
    };
    return tracer.startActiveSpan('run', (span) => calls(spanned, ended).finally(() => span.end()));
  }, count);
  const host = startRecorderHost(sink.url);
  const waiting: { ended?: Promise<void> } = {};
  const recordedWait = tool('wait', (_: typeof input) => waiting.ended ?? Promise.resolve());
  const run = agent('run', () => calls(() => recordedWait({ ...input }), Promise.resolve()));
  const ownKb = await openRunKb((ended) => {
    waiting.ended = ended;
    return run();
  }, count);
  await Promise.all([host.stop(), plain.stop()]);
  await sink.stop();
  return {
    name: 'memory',
    what: `${count} runs that wait, each for ${CALLS} calls that wait, against the same calls with spans`,
    figures: [
      { name: 'an open run', value: (ownKb - bareKb) / (spanKb - bareKb), unit: 'times one of spans' },
      { name: '  more than with no recording', value: ownKb - bareKb, unit: 'KB' },
    ],
  };
}
