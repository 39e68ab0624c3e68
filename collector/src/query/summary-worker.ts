import { type MessagePort, parentPort } from 'node:worker_threads';
import { toReenactError } from '@reenact/trace-model';
import type { StoredSpan } from '../store/store.ts';
import type { AnswerMessage, CallMessage } from '../threads/thread-messages.ts';
import { decodeTrace } from './decode-trace.ts';
import type { SummaryCalls } from './pack-spans.ts';
import { type SummarisedRun, summariseRun, unreadableRun } from './run-summary.ts';

const port = parentPort as MessagePort;

/** A trace that cannot be decoded must not hide the others from a list, so it is listed as damaged. */
function summarise(traceId: string, spans: readonly StoredSpan[]): SummarisedRun {
  const conflicting = spans.filter(({ isConflicting }) => isConflicting).length;
  try {
    return summariseRun(decodeTrace(spans), conflicting);
  } catch (thrown) {
    return unreadableRun(traceId, spans[0]?.spanId ?? '', spans.length, toReenactError(thrown));
  }
}

// Decoding whole traces takes longer than receiving them: on the thread that receives, it would hold up every sender.
port.on('message', ({ id, ask }: CallMessage) => {
  const { traceId, spans } = ask as SummaryCalls['summarise']['ask'];
  port.postMessage({ id, answer: summarise(traceId, spans) } satisfies AnswerMessage);
});
port.postMessage({ id: 0 } satisfies AnswerMessage);
