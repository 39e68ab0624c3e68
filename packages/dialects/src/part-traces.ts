import { fromPlain, type ResourceSpans, type Span, type TracesData, toMap } from '@reenact/otlp';
import { ATTR_REENACT_FIXTURE_RUN_BESIDE, ATTR_REENACT_PROCESS_SET_UP } from '@reenact/semconv/reenact';
import { ReenactError } from '@reenact/trace-model';

/** The telemetry of a recording, by what it is of. */
export interface PartedTraces {
  /** The trace that was recorded. */
  readonly own: TracesData;
  /** By trace id: those that its roots name as their set-up. */
  readonly setUps: ReadonlyMap<string, TracesData>;
  /** By trace id: those of other runs of its process. */
  readonly beside: ReadonlyMap<string, TracesData>;
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

function isBeside({ resource }: ResourceSpans): boolean {
  return toMap(resource?.attributes).get(ATTR_REENACT_FIXTURE_RUN_BESIDE) === true;
}

function unmarked({ resource, ...group }: ResourceSpans): ResourceSpans {
  const attributes = (resource?.attributes ?? []).filter(({ key }) => key !== ATTR_REENACT_FIXTURE_RUN_BESIDE);
  return { ...group, resource: { ...resource, attributes } };
}

/** The telemetry of a run, marked to stand beside that of another run of the same process (docs/adr/0034). */
export function markedBeside(data: TracesData): TracesData {
  const mark = { key: ATTR_REENACT_FIXTURE_RUN_BESIDE, value: fromPlain(true) };
  const resourceSpans = data.resourceSpans.map(unmarked).map(({ resource, ...group }) => ({
    ...group,
    resource: { ...resource, attributes: [...(resource?.attributes ?? []), mark] },
  }));
  return { resourceSpans };
}

/** Takes out what is marked to be of other runs, by trace. */
function partBeside(data: TracesData): { readonly others: TracesData; readonly beside: Map<string, TracesData> } {
  const groups = new Map<string, ResourceSpans[]>();
  const marked = data.resourceSpans.filter(isBeside);
  if (marked.length === 0) return { others: data, beside: new Map() };
  for (const group of marked) {
    const one = { resourceSpans: [unmarked(group)] };
    for (const id of new Set(spansOf(one).map(({ traceId }) => traceId))) {
      const ofTrace = groups.get(id) ?? [];
      ofTrace.push(...spansKept(one, ({ traceId }) => traceId === id).resourceSpans);
      groups.set(id, ofTrace);
    }
  }
  const beside = new Map(Array.from(groups, ([id, resourceSpans]) => [id, { resourceSpans }]));
  return { others: { resourceSpans: data.resourceSpans.filter((group) => !isBeside(group)) }, beside };
}

/**
 * Parts the trace that was recorded from those that hold what its programs did before, and other runs of them. Throws ReenactError `recording-damaged`
 * where there is no span, or another trace beside them.
 */
export function partTraces(received: TracesData): PartedTraces {
  const { others: data, beside } = partBeside(received);
  const spans = spansOf(data);
  const traceIds = new Set(spans.map(({ traceId }) => traceId));
  if (traceIds.size === 1) return { own: data, setUps: new Map(), beside };
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
  return { own: only(own), setUps: new Map(setUpIds.map((traceId) => [traceId, only(traceId)])), beside };
}
