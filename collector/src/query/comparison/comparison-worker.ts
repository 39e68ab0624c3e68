import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { CollectorConfig } from '../../config.ts';
import type { ThreadAccess } from '../../store/store.ts';
import { ThreadReader } from '../../store/thread-reader.ts';
import { sendError } from '../../store/worker/send-error.ts';
import type { AnswerMessage, CallMessage } from '../../threads/thread-messages.ts';
import { ContentReferences } from '../traces/content-references.ts';
import type { ComparisonAsk } from './comparison-calls.ts';
import { RunComparer } from './run-comparer.ts';

interface ThreadData {
  readonly access: ThreadAccess;
  readonly references: CollectorConfig['references'] | undefined;
}

const port = parentPort as MessagePort;
const { access, references } = workerData as ThreadData;

async function serve(reader: ThreadReader, comparer: RunComparer, { id, ask }: CallMessage): Promise<void> {
  try {
    const answer = JSON.stringify(await comparer.compare(ask as ComparisonAsk));
    port.postMessage({ id, answer } satisfies AnswerMessage);
  } catch (thrown) {
    port.postMessage({ id, error: sendError(thrown, access.dataDirectory) } satisfies AnswerMessage);
  } finally {
    reader.free();
  }
}

try {
  const reader = new ThreadReader(access);
  const comparer = new RunComparer(reader, new ContentReferences(references), access.memoryShare);
  // One at a time is asked for.
  port.on('message', (message: CallMessage) => void serve(reader, comparer, message));
  port.postMessage({ id: 0 } satisfies AnswerMessage);
} catch (thrown) {
  port.postMessage({ id: 0, error: sendError(thrown, access.dataDirectory) } satisfies AnswerMessage);
  port.close();
}
