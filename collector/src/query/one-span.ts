import { ReenactError } from '@reenact/trace-model';
import { API_OPERATIONS } from '@reenact/trace-model/collector-api';
import type { Store } from '../store/store.ts';
import { type Answerer, parametersOf } from './answer.ts';
import { answerSpans } from './recordings.ts';
import { notFound } from './resolve-trace.ts';
import type { StoredTraces } from './stored-traces.ts';

/** `GET /api/v1/spans/{spanId}`: one span with all that was said in it, however large its run is. */
export function createSpanAnswerer(store: Store, traces: StoredTraces): Answerer {
  return async (question) => {
    const { trace } = parametersOf(question, API_OPERATIONS.getSpan.parameters);
    const { tenant, id } = question;
    const spanId = id.toLowerCase();
    if (!/^[0-9a-f]{16}$/.test(spanId)) {
      throw new ReenactError('bad-request', `"${id}" is no span id.`, {
        where: id,
        next: 'Give 16 hex digits, as the tree of a run has them.',
      });
    }
    const traceId = trace?.toLowerCase() ?? (await store.findTrace(tenant, spanId));
    const references = traceId === undefined ? [] : await store.listSpans(tenant, traceId);
    const reference = references.find((span) => span.spanId === spanId);
    if (reference === undefined) throw notFound(`There is no span ${spanId}.`, id);
    return answerSpans(store, [reference], traces);
  };
}
