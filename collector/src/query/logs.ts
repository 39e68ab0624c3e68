import { encodeLogsJson } from '@reenact/otlp';
import { API_OPERATIONS } from '@reenact/trace-model/collector-api';
import type { Store } from '../store/store.ts';
import { type Answerer, parametersOf } from './answer.ts';
import { resolveTrace } from './resolve-trace.ts';
import type { StoredTraces } from './traces/stored-traces.ts';

/** `GET /api/v1/logs/{traceIdOrSpanId}`: the log records of a trace as OTLP/JSON; none is an empty document. */
export function createLogsAnswerer(store: Store, traces: StoredTraces): Answerer {
  return async (question) => {
    parametersOf(question, API_OPERATIONS.getLogs.parameters);
    const traceId = await resolveTrace(store, question);
    return { status: 200, body: encodeLogsJson(await traces.readLogs(question.tenant, traceId)) };
  };
}
