import { encodeLogsJson } from '@reenact/otlp';
import type { Store } from '../store/store.ts';
import { type Answerer, refuseParameters } from './answer.ts';
import { decodeLogs } from './decode-trace.ts';
import { resolveTrace } from './resolve-trace.ts';

/** `GET /api/v1/logs/{traceIdOrSpanId}`: the log records of a trace as OTLP/JSON; none is an empty document. */
export function createLogsAnswerer(store: Store): Answerer {
  return async (question) => {
    refuseParameters(question, []);
    const traceId = await resolveTrace(store, question);
    const records = await store.readLogs(question.tenant, traceId);
    return { status: 200, body: encodeLogsJson(decodeLogs(records)) };
  };
}
