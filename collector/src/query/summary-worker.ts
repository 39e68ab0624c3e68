import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { awaitsLogEvents } from '@reenact/dialects';
import { toReenactError } from '@reenact/trace-model';
import type { SummarisedRun } from '../store/store.ts';
import type { AnswerMessage, CallMessage } from '../threads/thread-messages.ts';
import { assembleTrace } from './assemble-trace.ts';
import { ContentReferences } from './content-references.ts';
import { decodeLogs, decodeTrace } from './decode-trace.ts';
import { summariseRun, unreadableRun } from './run-summary.ts';
import type { SummariserOptions } from './summariser.ts';
import type { AskedTrace, SummaryCalls } from './summary-calls.ts';

const port = parentPort as MessagePort;
const references = new ContentReferences((workerData as Pick<SummariserOptions, 'references'>).references);

type Ask = SummaryCalls['summarise']['ask'];

/** A trace that cannot be decoded must not hide the others from a list, so it is listed as damaged. */
async function summarise({ traceId, spans, logs }: AskedTrace, keepsText: boolean): Promise<SummarisedRun | null> {
  try {
    const data = await references.resolveTraces(decodeTrace(spans));
    const said = logs === undefined ? undefined : await references.resolveLogs(decodeLogs(logs));
    const trace = assembleTrace(data, said);
    if (said === undefined && trace.recording !== undefined && awaitsLogEvents(trace.recording)) return null;
    const conflictingSpans = spans.filter(({ isConflicting }) => isConflicting).length;
    return summariseRun(trace, { conflictingSpans, keepsText });
  } catch (thrown) {
    return unreadableRun(traceId, spans[0]?.spanId ?? '', spans.length, toReenactError(thrown));
  }
}

// Decoding whole traces takes longer than receiving them: on the thread that receives, it would hold up every sender.
port.on('message', ({ id, ask }: CallMessage) => {
  const { traces, keepsText } = ask as Ask;
  void Promise.all(traces.map((trace) => summarise(trace, keepsText))).then((answer) => {
    const texts = answer.flatMap((run) => (run?.texts === undefined ? [] : [run.texts]));
    const memory = texts.flatMap(({ kept, words }) => [kept.buffer, words.buffer]);
    port.postMessage({ id, answer } satisfies AnswerMessage, memory);
  });
});
port.postMessage({ id: 0 } satisfies AnswerMessage);
