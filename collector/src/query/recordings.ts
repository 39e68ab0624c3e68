import { encodeTracesJson } from '@reenact/otlp';
import { API_OPERATIONS } from '@reenact/trace-model/collector-api';
import type { Store } from '../store/store.ts';
import { type Answerer, parametersOf } from './answer.ts';
import { notFound, resolveTrace } from './resolve-trace.ts';
import type { StoredTraces } from './stored-traces.ts';

/** `GET /api/v1/recordings/{traceIdOrSpanId}`: the whole trace as OTLP/JSON. */
export function createRecordingsAnswerer(store: Store, traces: StoredTraces): Answerer {
  return async (question) => {
    parametersOf(question, API_OPERATIONS.getRecording.parameters);
    const traceId = await resolveTrace(store, question);
    const spans = await store.readTrace(question.tenant, traceId);
    if (spans.length === 0) throw notFound(`There is no trace ${traceId}.`, question.id);
    return { status: 200, body: encodeTracesJson(await traces.decode(spans)) };
  };
}
