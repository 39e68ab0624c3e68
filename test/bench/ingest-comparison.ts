import { peerPath } from '../interop/peers/peer.ts';
import { type BenchResult, type BenchSize, type Figure, medianOf } from './bench-result.ts';
import { encodingOf, type IngestClient, type IngestProtocol, ingestClient, sendRequests } from './ingest-client.ts';
import { IngestRequests, type RequestShape } from './ingest-requests.ts';
import {
  FORGETTING,
  type IngestContender,
  type IngestServer,
  JAEGER_BADGER,
  OTELCOL_FILE,
  OTELCOL_FSYNC,
  REENACT,
} from './ingest-servers.ts';
import { type ProcessCost, processCost } from './process-cost.ts';

const LANES = 8;
const HTTP_GOAL = 4;
const GRPC_GOAL = 1.5;
const FSYNC_GOAL = 5;
/**
 * A server runs for weeks, so what its first minute takes is not asked. Counted in requests and not in time, so that a busy machine
 * leaves nobody cold.
 */
const WARM_UP_REQUESTS = 1_500;

const RATE = 'MB per processor second';

/** Numbers of requests that one protocol may use up, so that no two send the same. */
const REQUESTS_PER_PROTOCOL = 1_000_000;

/** What is read of a list of runs. */
interface RunsAnswer {
  readonly unsummarisedRuns?: number;
}

/** One contender under one protocol. */
interface Cell {
  readonly contender: IngestContender;
  readonly protocol: IngestProtocol;
  readonly server: IngestServer;
  readonly client: IngestClient;
  readonly next: () => Buffer;
  /** Megabytes taken in all, the warming up included. */
  sentMegabytes: number;
  /** Of every round: megabytes per second of processor time without that of background threads, and of the clock. */
  readonly perProcessor: number[];
  readonly perClock: number[];
}

const matrix: readonly { readonly contender: IngestContender; readonly protocols: readonly IngestProtocol[] }[] = [
  { contender: REENACT, protocols: ['http-protobuf', 'http-json', 'grpc'] },
  { contender: OTELCOL_FILE, protocols: ['http-protobuf', 'http-json', 'grpc'] },
  { contender: OTELCOL_FSYNC, protocols: ['http-protobuf'] },
  { contender: JAEGER_BADGER, protocols: ['http-protobuf', 'grpc'] },
  { contender: FORGETTING, protocols: ['http-protobuf', 'http-json', 'grpc'] },
];

const protocolOrder: readonly IngestProtocol[] = ['http-protobuf', 'http-json', 'grpc'];

function secondsOf(cost: ProcessCost, threads: readonly string[] = []): number {
  return threads.reduce((sum, thread) => sum + cost.secondsOf(thread), 0);
}

async function warmUp(cell: Cell, requests: number): Promise<void> {
  cell.sentMegabytes += (await sendRequests(cell.client, LANES, requests, cell.next)).bytes / 1e6;
}

async function measureRound(cell: Cell, requests: number): Promise<void> {
  const { pid } = cell.server;
  const { backgroundThreads } = cell.contender;
  const costOf = (): number => {
    const cost = processCost(pid);
    return cost.seconds - secondsOf(cost, backgroundThreads);
  };
  const before = costOf();
  const { bytes, seconds } = await sendRequests(cell.client, LANES, requests, cell.next);
  cell.sentMegabytes += bytes / 1e6;
  cell.perProcessor.push(bytes / 1e6 / (costOf() - before));
  cell.perClock.push(bytes / 1e6 / seconds);
}

/** Starts everybody who can be started, once, and gives a cell for each of their protocols. */
async function openCells(shape: RequestShape): Promise<Cell[]> {
  const requests = new Map(
    protocolOrder.map((protocol) => [protocol, new IngestRequests(shape, encodingOf(protocol))]),
  );
  const cells: Cell[] = [];
  for (const { contender, protocols } of matrix) {
    if (contender.peer !== undefined && peerPath(contender.peer) === undefined) continue;
    const server = await contender.start();
    for (const protocol of protocols) {
      let number = 16 + protocolOrder.indexOf(protocol) * REQUESTS_PER_PROTOCOL;
      cells.push({
        contender,
        protocol,
        server,
        client: ingestClient(protocol, server, LANES),
        next: () => (requests.get(protocol) as IngestRequests).request(number++),
        sentMegabytes: 0,
        perProcessor: [],
        perClock: [],
      });
    }
  }
  return cells;
}

/** Waits until every run that was sent has its summary. */
async function untilSummarised({ httpUrl }: IngestServer): Promise<void> {
  for (;;) {
    const { unsummarisedRuns } = (await (await fetch(`${httpUrl}/api/v1/runs?limit=1`)).json()) as RunsAnswer;
    if (unsummarisedRuns === undefined) return;
  }
}

/**
 * Seconds of processor time that one megabyte takes after its acknowledgement, when all of it is summarised; undefined where nothing was
 * settled yet. What the threads of the acknowledgement do for summaries after the last round counts, too.
 */
async function laterCost(cells: readonly Cell[]): Promise<number | undefined> {
  const own = cells.filter(({ contender }) => contender === REENACT);
  const [first] = own;
  if (first === undefined) return undefined;
  const { pid, httpUrl } = first.server;
  const { backgroundThreads } = first.contender;
  const ended = processCost(pid);
  await untilSummarised(first.server);
  const cost = processCost(pid);
  const response = await fetch(`${httpUrl}/api/v1/stats`);
  const { store } = (await response.json()) as { store: { unsettledBytes: number } };
  const sent = own.reduce((sum, { sentMegabytes }) => sum + sentMegabytes, 0);
  const settled = sent - store.unsettledBytes / 1e6;
  const settling = cost.secondsOf('settle-worker');
  if (settled <= 0 || settling === 0) return undefined;
  const after =
    cost.seconds - ended.seconds - (secondsOf(cost, backgroundThreads) - secondsOf(ended, backgroundThreads));
  return settling / settled + (secondsOf(cost, backgroundThreads) - settling + after) / sent;
}

function goalOf(contender: IngestContender, protocol: IngestProtocol): number | undefined {
  if (contender === OTELCOL_FSYNC) return FSYNC_GOAL;
  if (contender !== OTELCOL_FILE) return undefined;
  return protocol === 'grpc' ? GRPC_GOAL : HTTP_GOAL;
}

/** What a server in Node.js could reach at most, where a goal is set: the same ratio of one that only reads. */
function mostOf(cells: readonly Cell[], { contender, protocol, perProcessor }: Cell): Figure[] {
  const floor = cells.find((cell) => cell.contender === FORGETTING && cell.protocol === protocol);
  if (floor === undefined || goalOf(contender, protocol) === undefined) return [];
  const value = medianOf(floor.perProcessor) / medianOf(perProcessor);
  return [{ name: '… of Node.js that forgets, the most it can reach', value, unit: '×' }];
}

function figuresOf(cells: readonly Cell[], later: number | undefined): Figure[] {
  const own = new Map(cells.filter(({ contender }) => contender === REENACT).map((cell) => [cell.protocol, cell]));
  const ratios = cells.flatMap((cell): Figure[] => {
    const { contender, protocol, perProcessor, perClock } = cell;
    const ours = own.get(protocol);
    if (contender === REENACT || ours === undefined) return [];
    const ratio = medianOf(ours.perProcessor) / medianOf(perProcessor);
    const settled = 1 / (1 / medianOf(ours.perProcessor) + (later ?? Number.NaN)) / medianOf(perProcessor);
    const goal = goalOf(contender, protocol);
    const against = `${protocol}, against ${contender.name}`;
    return [
      {
        name: `${against}: per processor second`,
        value: ratio,
        unit: '×',
        ...(goal === undefined ? {} : { goal: { words: `at least ${goal}`, isMet: ratio >= goal } }),
      },
      ...mostOf(cells, cell),
      ...(later === undefined ? [] : [{ name: '… everything counted', value: settled, unit: '×' }]),
      { name: '… per second of the clock', value: medianOf(ours.perClock) / medianOf(perClock), unit: '×' },
    ];
  });
  const rates = cells.flatMap(({ contender, protocol, perProcessor, perClock }): Figure[] => [
    { name: `${protocol}, ${contender.name}`, value: medianOf(perProcessor), unit: RATE },
    { name: '… of the clock', value: medianOf(perClock), unit: 'MB/s' },
  ]);
  const laterRate = later === undefined ? [] : [{ name: 'what comes later, Reenact', value: 1 / later, unit: RATE }];
  return [...ratios, ...rates, ...laterRate];
}

/** Megabytes of one shape of spans that each server takes per second of its processor time, in rounds that take turns. */
export async function compareIngest(name: string, shape: RequestShape, { isSmoke }: BenchSize): Promise<BenchResult> {
  const rounds = isSmoke ? 1 : 5;
  const requests = isSmoke ? 8 : 100;
  const cells = await openCells(shape);
  try {
    for (const cell of cells) await warmUp(cell, isSmoke ? 8 : WARM_UP_REQUESTS);
    for (let round = 0; round < rounds; round += 1) for (const cell of cells) await measureRound(cell, requests);
    const later = await laterCost(cells);
    const configurations = [...new Set(cells.map(({ contender }) => contender))].map(
      ({ name: contender, configuration }) => `${contender} (${configuration})`,
    );
    return {
      name,
      what: `${shape.name}, ${shape.spansPerRequest} per request, ${LANES} requests at a time, uncompressed, ${rounds} rounds of ${requests} requests in turn: ${configurations.join('; ')}`,
      figures: figuresOf(cells, later),
    };
  } finally {
    for (const { client } of cells) client.close();
    for (const server of new Set(cells.map((cell) => cell.server))) await server.stop();
  }
}
