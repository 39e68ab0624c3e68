import { type Span, type TracesData, toMap } from '@reenact/otlp';
import { ATTR_REENACT_PROCESS_SET_UP } from '@reenact/semconv/reenact';
import { ReenactError } from '@reenact/trace-model';

/** The telemetry of a recording, by what it is of. */
export interface PartedTraces {
  /** The trace that was recorded. */
  readonly own: TracesData;
  /** By trace id: those that its roots name as their set-up. */
  readonly setUps: ReadonlyMap<string, TracesData>;
}

function spansOf(data: TracesData): Span[] {
  return data.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
}

/** The spans for which `keeps` says so, with their resources and scopes. */
export function spansKept(data: TracesData, keeps: (span: Span) => boolean): TracesData {
  const resourceSpans = data.resourceSpans.flatMap((group) => {
    const scopeSpans = group.scopeSpans
      .map((scope) => ({ ...scope, spans: scope.spans.filter(keeps) }))
      .filter(({ spans }) => spans.length > 0);
    return scopeSpans.length === 0 ? [] : [{ ...group, scopeSpans }];
  });
  return { resourceSpans };
}

function linkedTraces(spans: readonly Span[]): Set<string> {
  const links = spans.flatMap((span) => span.links ?? []);
  return new Set(
    links.filter(({ attributes }) => toMap(attributes).has(ATTR_REENACT_PROCESS_SET_UP)).map(({ traceId }) => traceId),
  );
}

/**
 * Parts the trace that was recorded from those that hold what its programs did before. Throws ReenactError `recording-damaged`
 * where there is no span, or another trace beside them.
 */
export function partTraces(data: TracesData): PartedTraces {
  const spans = spansOf(data);
  const traceIds = new Set(spans.map(({ traceId }) => traceId));
  if (traceIds.size === 1) return { own: data, setUps: new Map() };
  if (traceIds.size === 0) {
    throw new ReenactError('recording-damaged', 'There are no spans in this recording.', {
      next: 'Export it again with `reenact export <id> --out <file>`.',
    });
  }
  const linked = linkedTraces(spans);
  const [own, ...others] = [...traceIds].filter((traceId) => !linked.has(traceId));
  if (own === undefined || others.length > 0) {
    throw new ReenactError(
      'recording-damaged',
      `This recording holds ${traceIds.size} traces, a replay needs exactly one.`,
      {
        where: [...traceIds].slice(0, 3).join(', '),
        next: 'Export one trace with `reenact export <id> --out <file>`.',
      },
    );
  }
  const only = (wanted: string): TracesData => spansKept(data, ({ traceId }) => traceId === wanted);
  const setUpIds = [...traceIds].filter((traceId) => traceId !== own);
  return { own: only(own), setUps: new Map(setUpIds.map((traceId) => [traceId, only(traceId)])) };
}
