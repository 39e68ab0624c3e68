import { joinLogEvents, withSaidContent } from '@reenact/dialects';
import type { Span, TracesData } from '@reenact/otlp';
import { ATTR_REENACT_SCHEMA } from '@reenact/semconv/reenact';
import { ReenactError } from '@reenact/trace-model';
import { API_OPERATIONS } from '@reenact/trace-model/collector-api';
import type { Store, StoredSpan } from '../store/store.ts';
import { type Answerer, parametersOf } from './answer.ts';
import { answerSpans } from './recordings.ts';
import { notFound } from './resolve-trace.ts';
import type { StoredTraces } from './traces/stored-traces.ts';

/** `GET /api/v1/spans/{spanId}`: one span with all that was said in it, however large its run is. */
export function createSpanAnswerer(store: Store, traces: StoredTraces): Answerer {
  return async (question) => {
    const { trace, conventions = false } = parametersOf(question, API_OPERATIONS.getSpan.parameters);
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
    if (reference === undefined) {
      const place = trace === undefined ? '' : ` in the trace ${traceId}`;
      throw notFound(`There is no span ${spanId}${place}.`, id);
    }
    const decode = (spans: readonly StoredSpan[]): Promise<TracesData> => traces.decode(spans);
    if (!conventions || traceId === undefined) return answerSpans(store, [reference], decode);
    return answerSpans(store, [reference], async (spans) => {
      const data = await decode(spans);
      if (spansOf(data).every(isRecorded)) return data;
      return withSaidContent(joinLogEvents(data, await traces.readLogs(tenant, traceId)));
    });
  };
}

function spansOf({ resourceSpans }: TracesData): Span[] {
  return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
}

function isRecorded({ attributes }: Span): boolean {
  return attributes?.some(({ key }) => key === ATTR_REENACT_SCHEMA) === true;
}
