// Measures the collector under more than it can take. Run it with: npm run bench:overload [-- <name>… --json --smoke]
import { setTimeout as wait } from 'node:timers/promises';
import { type BenchResult, type BenchSize, runBenchmarks } from './bench-result.ts';
import { type Answer, encodingOf, type IngestProtocol, ingestClient, sendRequests } from './ingest-client.ts';
import { IngestRequests, LARGE_SPANS, TEMPLATES } from './ingest-requests.ts';
import { type IngestServer, startReenact } from './ingest-servers.ts';
import { peakMemoryBytes } from './process-cost.ts';

const LANES = 16;
const PEAK_GOAL = 1.3;
const GOODPUT_GOAL = 0.8;

/** How often requests that are due are sent, milliseconds. */
const TICK_MS = 10;

const fresh = (): (() => Buffer) => {
  const requests = new IngestRequests(LARGE_SPANS, 'protobuf');
  let number = TEMPLATES;
  return () => requests.request(number++);
};

/** What came of one load on a fresh collector. */
interface Loaded {
  readonly offered: number;
  readonly perSecond: number;
  readonly answers: Readonly<Record<Answer, number>>;
  readonly lostSpans: number;
  readonly peakBytes: number;
}

async function storedSpans({ httpUrl }: IngestServer): Promise<number> {
  const stats = (await (await fetch(`${httpUrl}/api/v1/stats`)).json()) as { store: { spans: number } };
  return stats.store.spans;
}

async function withServer<Value>(work: (server: IngestServer) => Promise<Value>): Promise<Value> {
  const server = await startReenact();
  try {
    return await work(server);
  } finally {
    await server.stop();
  }
}

/** Requests per second that a collector takes from senders who wait for each answer. */
function sustainableRate(protocol: IngestProtocol, requests: number): Promise<number> {
  return withServer(async (server) => {
    const client = ingestClient(protocol, server, LANES);
    const next = fresh();
    await sendRequests(client, LANES, requests / 2, next);
    const sent = await sendRequests(client, LANES, requests, next);
    client.close();
    return sent.requests / sent.seconds;
  });
}

/** Sends so many requests a second, whatever becomes of them, to a collector that is warm. */
function load(protocol: IngestProtocol, perSecond: number, warmUp: number, durationMs: number): Promise<Loaded> {
  return withServer(async (server) => {
    const client = ingestClient(protocol, server, Number.POSITIVE_INFINITY);
    const next = fresh();
    await sendRequests(client, LANES, warmUp, next);
    const before = await storedSpans(server);
    const answers = { taken: 0, retry: 0, failed: 0 };
    const open: Promise<void>[] = [];
    const startedAt = performance.now();
    const send = async (): Promise<void> => {
      answers[await client.send(next())] += 1;
    };
    while (performance.now() - startedAt < durationMs) {
      const due = ((performance.now() - startedAt) / 1000) * perSecond;
      while (open.length < due) open.push(send());
      await wait(TICK_MS);
    }
    await Promise.all(open);
    const seconds = (performance.now() - startedAt) / 1000;
    const peakBytes = peakMemoryBytes(server.pid);
    const stored = (await storedSpans(server)) - before;
    client.close();
    return {
      offered: open.length,
      perSecond: answers.taken / seconds,
      answers,
      // More may be there than was acknowledged, where an answer did not arrive; less never.
      lostSpans: Math.max(0, answers.taken * LARGE_SPANS.spansPerRequest - stored),
      peakBytes,
    };
  });
}

async function overload(protocol: IngestProtocol, { isSmoke }: BenchSize): Promise<BenchResult> {
  const [count, durationMs] = isSmoke ? [8, 200] : [300, 8_000];
  const rate = await sustainableRate(protocol, count);
  const calm = await load(protocol, rate * 0.8, count, durationMs);
  const pressed = await load(protocol, rate * 2, count, durationMs);
  const peak = pressed.peakBytes / calm.peakBytes;
  const goodput = pressed.perSecond / calm.perSecond;
  const lost = calm.lostSpans + pressed.lostSpans;
  const failed = calm.answers.failed + pressed.answers.failed;
  const met = (words: string, isMet: boolean) => ({ goal: { words, isMet } });
  return {
    name: protocol === 'grpc' ? 'grpc' : 'http',
    what: `requests of ${LARGE_SPANS.spansPerRequest} spans of 30 KB (${encodingOf(protocol)}) for ${durationMs} ms at 80 % of ${rate.toFixed(0)} a second, and at twice that rate (${pressed.offered} were sent), each to a fresh collector after ${count} to warm up`,
    figures: [
      {
        name: 'peak memory at twice the rate, against 80 %',
        value: peak,
        unit: '×',
        ...met(`at most ${PEAK_GOAL}`, peak <= PEAK_GOAL),
      },
      {
        name: 'taken per second, against 80 %',
        value: goodput,
        unit: '×',
        ...met(`at least ${GOODPUT_GOAL}`, goodput >= GOODPUT_GOAL),
      },
      { name: 'acknowledged spans that are not there', value: lost, unit: '', ...met('none', lost === 0) },
      {
        name: 'answers that are neither taken nor to be retried',
        value: failed,
        unit: '',
        ...met('none', failed === 0),
      },
      { name: 'share told to retry at twice the rate', value: pressed.answers.retry / pressed.offered, unit: '' },
      { name: 'peak memory at 80 %', value: calm.peakBytes / 1e6, unit: 'MB' },
      { name: 'peak memory at twice the rate', value: pressed.peakBytes / 1e6, unit: 'MB' },
    ],
  };
}

await runBenchmarks({
  http: (size) => overload('http-protobuf', size),
  grpc: (size) => overload('grpc', size),
});
