import { AgentConversations } from './agent-conversations.ts';
import type { BenchResult, BenchSize, Figure } from './bench-result.ts';
import { ingestClient, sendRequests } from './ingest-client.ts';
import { IngestRequests, LARGE_SPANS, TEMPLATES } from './ingest-requests.ts';
import { type IngestServer, startReenact } from './ingest-servers.ts';
import { processCost } from './process-cost.ts';

const LANES = 4;
/** Agents that are at work at one time. */
const AGENTS = 6;
const STEPS = 20;
const RATE = 'MB per processor second';

/** What works after the acknowledgement, by its thread. */
const LATER = [
  ['summaries', 'summary-worker'],
  ['words', 'text-worker'],
] as const;

/** Requests of agents that take turns, each with one step of its conversation. */
function conversations(): () => Buffer {
  const agents = new AgentConversations({ steps: STEPS, textCharactersMax: 2400 });
  let run = 0;
  let turn = 0;
  const begin = (): Generator<Uint8Array> => agents.encodedOf(run++);
  const open = Array.from({ length: AGENTS }, begin);
  return () => {
    for (;;) {
      const place = turn++ % AGENTS;
      const step = open[place]?.next();
      if (step?.done === false) return Buffer.from(step.value);
      open[place] = begin();
    }
  };
}

function unrelatedSpans(): () => Buffer {
  const requests = new IngestRequests(LARGE_SPANS, 'protobuf');
  let number = TEMPLATES;
  return () => requests.request(number++);
}

async function ask<Answer>({ httpUrl }: IngestServer, path: string): Promise<Answer> {
  return (await (await fetch(`${httpUrl}/api/v1/${path}`)).json()) as Answer;
}

/** Waits until every run that was sent has its summary; each question waits for some of them. */
async function untilSummarised(server: IngestServer): Promise<void> {
  for (;;) {
    const { unsummarisedRuns } = await ask<{ unsummarisedRuns?: number }>(server, 'runs?limit=1');
    if (unsummarisedRuns === undefined) return;
  }
}

async function measure(name: string, next: () => Buffer, requests: number): Promise<Figure[]> {
  const server = await startReenact();
  const client = ingestClient('http-protobuf', server, LANES);
  try {
    const megabytes = (await sendRequests(client, LANES, requests, next)).bytes / 1e6;
    await untilSummarised(server);
    const cost = processCost(server.pid);
    const { store } = await ask<{ store: { unsettledBytes: number } }>(server, 'stats');
    const figures = LATER.map(([what, thread]): Figure => {
      return { name: `${name}: ${what}`, value: megabytes / cost.secondsOf(thread), unit: RATE };
    });
    // Settling waits for a minute or for a certain size.
    const settled = megabytes - store.unsettledBytes / 1e6;
    const settling = cost.secondsOf('settle-worker');
    if (settled <= 0 || settling === 0) return figures;
    return [...figures, { name: `${name}: settling`, value: settled / settling, unit: RATE }];
  } finally {
    client.close();
    await server.stop();
  }
}

/** What the collector does after the acknowledgement, by what it does: of conversations that are sent again at each step, and of spans that share nothing. */
export async function collectorLater({ isSmoke }: BenchSize): Promise<BenchResult> {
  const [steps, batches] = isSmoke ? [8, 2] : [6_000, 1_200];
  return {
    name: 'later',
    what: `${steps} steps of conversations of ${STEPS} steps, and ${batches} requests of ${LARGE_SPANS.spansPerRequest} unrelated ${LARGE_SPANS.name}, each sent to a collector of its own`,
    figures: [
      ...(await measure('conversations', conversations(), steps)),
      ...(await measure('unrelated spans', unrelatedSpans(), batches)),
    ],
  };
}
