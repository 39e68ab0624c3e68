import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { CollectorConfig } from '../../config.ts';
import type { ThreadAccess } from '../../store/store.ts';
import { ThreadReader } from '../../store/thread-reader.ts';
import { sendError } from '../../store/worker/send-error.ts';
import type { AnswerMessage, CallMessage } from '../../threads/thread-messages.ts';
import { REFERENCES_SUMMARY_MS_MAX } from '../limits.ts';
import { ContentReferences } from '../traces/content-references.ts';
import type { SummaryCalls } from './summary-calls.ts';
import { TraceSummaries } from './trace-summaries.ts';

interface ThreadData {
  readonly access: ThreadAccess;
  readonly references: CollectorConfig['references'] | undefined;
}

type Ask = SummaryCalls['summarise']['ask'];

const port = parentPort as MessagePort;
const { access, references } = workerData as ThreadData;

/** Calls in work: while content of one is fetched, another one may read. */
let inWork = 0;

async function serve(reader: ThreadReader, summaries: TraceSummaries, { id, ask }: CallMessage): Promise<void> {
  inWork += 1;
  try {
    const made = await summaries.summarise(ask as Ask);
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
  const resolver = new ContentReferences(references, { budgetMs: REFERENCES_SUMMARY_MS_MAX });
  const summaries = new TraceSummaries(reader, resolver, access.memoryShare);
  // Decoding whole traces takes longer than receiving them: on the thread that receives, it would hold up every sender.
  port.on('message', (message: CallMessage) => void serve(reader, summaries, message));
  port.postMessage({ id: 0 } satisfies AnswerMessage);
} catch (thrown) {
  port.postMessage({ id: 0, error: sendError(thrown, access.dataDirectory) } satisfies AnswerMessage);
  port.close();
}
