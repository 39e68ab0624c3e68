import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { awaitsLogEvents } from '@reenact/dialects';
import type { LogsData, TracesData } from '@reenact/otlp';
import { type Missing, type ReenactError, toReenactError } from '@reenact/trace-model';
import type { CollectorConfig } from '../config.ts';
import {
  SUMMARY_BATCH_BYTES,
  SUMMARY_LOG_BYTES_MAX,
  SUMMARY_PIECE_BYTES,
  SUMMARY_PIECE_SPANS,
  SUMMARY_SPAN_BYTES_MAX,
  SUMMARY_SPANS_MAX,
  SUMMARY_WHOLE_BYTES_MAX,
} from '../limits.ts';
import type { SpanReference, StoredSpan, SummarisedRun, ThreadAccess, TraceName } from '../store/store.ts';
import { ThreadReader } from '../store/thread-reader.ts';
import { sendError } from '../store/worker/send-error.ts';
import type { AnswerMessage, CallMessage } from '../threads/thread-messages.ts';
import { type AssembledTrace, assembleTrace, withMissing } from './assemble-trace.ts';
import { ContentReferences } from './content-references.ts';
import { decodeLogs, decodeTrace } from './decode-trace.ts';
import { summariseRun, unreadableRun } from './run-summary.ts';
import { summariseInPieces } from './summarise-in-pieces.ts';
import type { MadeSummary, SummaryCalls } from './summary-calls.ts';

interface ThreadData {
  readonly access: ThreadAccess;
  readonly references: CollectorConfig['references'] | undefined;
}

type Ask = SummaryCalls['summarise']['ask'];

const port = parentPort as MessagePort;
const { access, references: settings } = workerData as ThreadData;
const { memoryShare = 1 } = access;
const references = new ContentReferences(settings);

/** Calls in work: while content of one is fetched, another one may read. */
let inWork = 0;

/** The last run that is read in pieces. */
let largeOne: Promise<unknown> = Promise.resolve();

/** What a run lacks that is listed without all of its log records. */
const UNREAD_LOGS: Missing = { cause: 'unread', detail: 'its log records' };

/** The log records of a trace; undefined where they are too many. */
async function readLogs(reader: ThreadReader, [tenant, traceId]: TraceName): Promise<LogsData | undefined> {
  const records = reader.readLogs(tenant, traceId, SUMMARY_LOG_BYTES_MAX * memoryShare);
  return records === undefined ? undefined : references.resolveLogs(decodeLogs(records));
}

async function assembleWhole(reader: ThreadReader, name: TraceName, data: TracesData): Promise<AssembledTrace> {
  const alone = assembleTrace(data);
  if (alone.recording === undefined || !awaitsLogEvents(alone.recording)) return alone;
  const logs = await readLogs(reader, name);
  return logs === undefined ? withMissing(alone, [UNREAD_LOGS]) : assembleTrace(data, logs);
}

async function summariseWhole(
  reader: ThreadReader,
  name: TraceName,
  spans: readonly StoredSpan[],
  keepsText: boolean,
): Promise<SummarisedRun> {
  const conflictingSpans = spans.filter(({ isConflicting }) => isConflicting).length;
  const data = await references.resolveTraces(decodeTrace(spans));
  return summariseRun(await assembleWhole(reader, name, data), { conflictingSpans, keepsText });
}

/** A trace that cannot be decoded must not hide the others from a list, so it is listed as damaged. */
async function listed(
  [, traceId]: TraceName,
  spans: readonly { readonly spanId: string }[],
  spanCount: number,
  make: () => Promise<SummarisedRun>,
): Promise<SummarisedRun | null> {
  if (spanCount === 0) return null;
  try {
    return await make();
  } catch (thrown) {
    const error = toReenactError(thrown);
    // It was deleted while it was read in pieces.
    if (error.code === 'not-found') return null;
    if (mayPass(error)) throw thrown;
    return unreadableRun(traceId, spans[0]?.spanId ?? '', spanCount, error);
  }
}

/** Whether it may be read at another time, as where the disk fails for a while, unlike what is damaged. */
function mayPass({ code, retryable }: ReenactError): boolean {
  return code === 'store-failed' && retryable;
}

/** One that is damaged where it lies says so in its own place, as one that cannot be decoded does: else no run would ever be summarised again. */
function listedAsDamaged(reader: ThreadReader, [tenant, traceId]: TraceName, thrown: unknown): MadeSummary {
  const error = toReenactError(thrown);
  if (mayPass(error)) throw thrown;
  const spans = reader.spanIds(tenant, traceId);
  const run = spans.length === 0 ? null : unreadableRun(traceId, spans[0] ?? '', spans.length, error);
  return { run, bytes: 0 };
}

/** Reads traces up to a number of bytes, at least one of them, and summarises those. A larger one is read in pieces, and alone. */
async function answer(reader: ThreadReader, { traces, keepsText }: Ask): Promise<MadeSummary[]> {
  const made: Promise<MadeSummary>[] = [];
  let bytesRead = 0;
  for (const name of traces) {
    try {
      const spans = reader.readTrace(...name, SUMMARY_WHOLE_BYTES_MAX * memoryShare);
      if (spans === undefined) {
        if (made.length > 0) break;
        const large = answerLarge(reader, name, keepsText);
        made.push(large.catch((thrown: unknown) => listedAsDamaged(reader, name, thrown)));
        break;
      }
      const bytes = spans.reduce((sum, span) => sum + span.bytes.length, 0);
      const run = listed(name, spans, spans.length, () => summariseWhole(reader, name, spans, keepsText));
      made.push(run.then((summarised) => ({ run: summarised, bytes })));
      bytesRead += bytes;
    } catch (thrown) {
      made.push(Promise.resolve(listedAsDamaged(reader, name, thrown)));
    }
    if (bytesRead >= SUMMARY_BATCH_BYTES * memoryShare) break;
  }
  return Promise.all(made);
}

async function answerLarge(reader: ThreadReader, name: TraceName, keepsText: boolean): Promise<MadeSummary> {
  const found = reader.listSpans(...name, SUMMARY_SPANS_MAX * memoryShare);
  let bytes = 0;
  const readPiece = (left: readonly SpanReference[]): readonly StoredSpan[] => {
    reader.trim();
    const spans = reader.readSpans(left.slice(0, SUMMARY_PIECE_SPANS), SUMMARY_PIECE_BYTES * memoryShare);
    bytes += spans.reduce((sum, span) => sum + span.bytes.length, 0);
    return spans;
  };
  const make = () =>
    summariseInPieces({
      ...found,
      spanBytesMax: SUMMARY_SPAN_BYTES_MAX * memoryShare,
      keepsText,
      readPiece,
      decode: (spans) => references.resolveTraces(decodeTrace(spans)),
      readLogs: () => readLogs(reader, name),
    });
  // One at a time: what is known of each is held until it is through.
  const turn = largeOne.then(() => listed(name, found.references, found.spanCount, make));
  largeOne = turn;
  return { run: await turn, bytes };
}

async function serve(reader: ThreadReader, { id, ask }: CallMessage): Promise<void> {
  inWork += 1;
  try {
    const made = await answer(reader, ask as Ask);
    const texts = made.flatMap(({ run }) => (run?.texts === undefined ? [] : [run.texts]));
    const memory = texts.flatMap(({ kept, words }) => [kept.buffer, words.buffer]);
    port.postMessage({ id, answer: made } satisfies AnswerMessage, memory);
  } catch (thrown) {
    port.postMessage({ id, error: sendError(thrown, access.dataDirectory) } satisfies AnswerMessage);
  } finally {
    inWork -= 1;
    if (inWork === 0) reader.free();
    else reader.rest();
  }
}

try {
  const reader = new ThreadReader(access);
  // Decoding whole traces takes longer than receiving them: on the thread that receives, it would hold up every sender.
  port.on('message', (message: CallMessage) => void serve(reader, message));
  port.postMessage({ id: 0 } satisfies AnswerMessage);
} catch (thrown) {
  port.postMessage({ id: 0, error: sendError(thrown, access.dataDirectory) } satisfies AnswerMessage);
  port.close();
}
