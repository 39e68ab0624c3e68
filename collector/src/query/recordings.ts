import { encodeTracesJson } from '@reenact/otlp';
import type { Store } from '../store/store.ts';
import { type Answerer, refuseParameters } from './answer.ts';
import { decodeTrace } from './decode-trace.ts';
import { notFound, resolveTrace } from './resolve-trace.ts';

/** `GET /api/v1/recordings/{traceIdOrSpanId}`: the whole trace as OTLP/JSON. */
export function createRecordingsAnswerer(store: Store): Answerer {
  return async (question) => {
    refuseParameters(question, []);
    const traceId = await resolveTrace(store, question);
    const spans = await store.readTrace(question.tenant, traceId);
    if (spans.length === 0) throw notFound(`There is no trace ${traceId}.`, question.id);
    return { status: 200, body: encodeTracesJson(decodeTrace(spans)) };
  };
}
