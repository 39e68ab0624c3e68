import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { awaitsLogEvents } from '@reenact/dialects';
import { toReenactError } from '@reenact/trace-model';
import type { CollectorConfig } from '../config.ts';
import { SUMMARY_BATCH_BYTES } from '../limits.ts';
import type { StoredSpan, SummarisedRun, ThreadAccess, TraceName } from '../store/store.ts';
import { ThreadReader } from '../store/thread-reader.ts';
import { sendError } from '../store/worker/send-error.ts';
import type { AnswerMessage, CallMessage } from '../threads/thread-messages.ts';
import { assembleTrace } from './assemble-trace.ts';
import { ContentReferences } from './content-references.ts';
import { decodeLogs, decodeTrace } from './decode-trace.ts';
import { summariseRun, unreadableRun } from './run-summary.ts';
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

/** A trace that cannot be decoded must not hide the others from a list, so it is listed as damaged. */
async function summarise(
  reader: ThreadReader,
  [tenant, traceId]: TraceName,
  spans: readonly StoredSpan[],
  keepsText: boolean,
): Promise<SummarisedRun | null> {
  if (spans.length === 0) return null;
  try {
    const data = await references.resolveTraces(decodeTrace(spans));
    const alone = assembleTrace(data);
    const trace =
      alone.recording !== undefined && awaitsLogEvents(alone.recording)
        ? assembleTrace(data, await references.resolveLogs(decodeLogs(reader.readLogs(tenant, traceId))))
        : alone;
    const conflictingSpans = spans.filter(({ isConflicting }) => isConflicting).length;
    return summariseRun(trace, { conflictingSpans, keepsText });
  } catch (thrown) {
    return unreadableRun(traceId, spans[0]?.spanId ?? '', spans.length, toReenactError(thrown));
  }
}

/** Reads traces up to a number of bytes, at least one of them, and summarises those. */
async function answer(reader: ThreadReader, { traces, keepsText }: Ask): Promise<MadeSummary[]> {
  const made: Promise<MadeSummary>[] = [];
  let bytesRead = 0;
  for (const name of traces) {
    const spans = reader.readTrace(...name);
    const bytes = spans.reduce((sum, span) => sum + span.bytes.length, 0);
    made.push(summarise(reader, name, spans, keepsText).then((run) => ({ run, bytes })));
    bytesRead += bytes;
    if (bytesRead >= SUMMARY_BATCH_BYTES * memoryShare) break;
  }
  return Promise.all(made);
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
