import { type LogsData, type PlainValue, type Span, type TracesData, toMap } from '@reenact/otlp';
import { type Crossing, crossingLabel, type Recording, ReenactError } from '@reenact/trace-model';
import type { CrossingDraft, Dialect } from './dialect.ts';
import { joinLogEvents } from './join-log-events.ts';
import { judgeReplayability } from './judge-replayability.ts';
import { otelGenAiDialect } from './otel-genai/otel-genai-dialect.ts';
import { reenactDialect } from './reenact/reenact-dialect.ts';

/** In the order they are asked; the first that knows a span reads it. */
const dialects: readonly Dialect[] = [reenactDialect, otelGenAiDialect];

interface SpanIndex {
  readonly spans: Map<string, Span>;
  readonly resource: Map<string, PlainValue>;
}

function indexSpans(data: TracesData): SpanIndex {
  const spans = new Map<string, Span>();
  const resource = new Map<string, PlainValue>();
  const traceIds = new Set<string>();
  for (const group of data.resourceSpans) {
    for (const [key, value] of toMap(group.resource?.attributes)) resource.set(key, value);
    for (const span of group.scopeSpans.flatMap((scope) => scope.spans)) {
      traceIds.add(span.traceId);
      spans.set(span.spanId, span);
    }
  }
  if (traceIds.size === 0) {
    throw new ReenactError('recording-damaged', 'There are no spans in this recording.', {
      next: 'Export it again with `reenact export <id> --out <file>`.',
    });
  }
  if (traceIds.size > 1) {
    throw new ReenactError(
      'recording-damaged',
      `This recording holds ${traceIds.size} traces, a replay needs exactly one.`,
      {
        where: [...traceIds].slice(0, 3).join(', '),
        next: 'Export one trace with `reenact export <id> --out <file>`.',
      },
    );
  }
  return { spans, resource };
}

function readDrafts(spans: Iterable<Span>): Map<string, CrossingDraft> {
  const drafts = new Map<string, CrossingDraft>();
  for (const span of spans) {
    const attributes = toMap(span.attributes);
    for (const dialect of dialects) {
      const draft = dialect.read(span, attributes);
      if (draft === undefined) continue;
      drafts.set(span.spanId, draft);
      break;
    }
  }
  return drafts;
}

/**
 * Drops what other instrumentations tell of a call that a crossing of ours below it holds exactly: the span an SDK or a
 * framework put around it is transparent, for on a replay its code runs again over our crossing.
 */
function dropSpansAround(drafts: Map<string, CrossingDraft>, spans: Map<string, Span>): void {
  const visited = new Set<string>();
  for (const { spanId, dialect } of [...drafts.values()]) {
    if (dialect !== reenactDialect.name) continue;
    let around = spans.get(spanId)?.parentSpanId;
    while (around !== undefined && around !== '' && !visited.has(around)) {
      visited.add(around);
      if (drafts.get(around)?.dialect !== reenactDialect.name) drafts.delete(around);
      around = spans.get(around)?.parentSpanId;
    }
  }
}

/** The enclosing crossing: as recorded, else the nearest ancestor span that is one. */
function enclosingCrossing(
  draft: CrossingDraft,
  drafts: Map<string, CrossingDraft>,
  spans: Map<string, Span>,
): string | undefined {
  if (draft.parentSpanId !== undefined) return draft.parentSpanId;
  const visited = new Set([draft.spanId]);
  let parent = spans.get(draft.spanId)?.parentSpanId;
  while (parent !== undefined && parent !== '' && !visited.has(parent)) {
    if (drafts.has(parent)) return parent;
    visited.add(parent);
    parent = spans.get(parent)?.parentSpanId;
  }
  return undefined;
}

function compareStart(left: CrossingDraft, right: CrossingDraft): number {
  if (left.order !== undefined && right.order !== undefined && left.order !== right.order)
    return left.order - right.order;
  if (left.startTimeUnixNano !== right.startTimeUnixNano)
    return left.startTimeUnixNano < right.startTimeUnixNano ? -1 : 1;
  return left.spanId < right.spanId ? -1 : 1;
}

/** Builds the tree: parents before children, siblings in start order, each with its path. */
class TreeBuilder {
  readonly crossings: Crossing[] = [];
  private readonly children = new Map<string | undefined, CrossingDraft[]>();
  private readonly parents = new Map<string, string>();

  constructor(drafts: Map<string, CrossingDraft>, spans: Map<string, Span>) {
    for (const draft of drafts.values()) {
      const parent = enclosingCrossing(draft, drafts, spans);
      if (parent !== undefined) this.parents.set(draft.spanId, parent);
      const key = parent !== undefined && drafts.has(parent) ? parent : undefined;
      const siblings = this.children.get(key);
      if (siblings === undefined) this.children.set(key, [draft]);
      else siblings.push(draft);
    }
  }

  build(parent: string | undefined, prefix: string): void {
    const siblings = (this.children.get(parent) ?? []).sort(compareStart);
    this.children.delete(parent);
    const counts = new Map<string, number>();
    siblings.forEach((draft, index) => {
      const label = crossingLabel(draft);
      const count = (counts.get(label) ?? 0) + 1;
      counts.set(label, count);
      const path = `${prefix}${label}${count === 1 ? '' : `#${count}`}`;
      const parentSpanId = this.parents.get(draft.spanId);
      const { parentSpanId: _recorded, unknownVersion: _version, ...facts } = draft;
      this.crossings.push({
        ...facts,
        path,
        order: draft.order ?? index,
        ...(parentSpanId === undefined ? {} : { parentSpanId }),
      });
      this.build(draft.spanId, `${path}/`);
    });
  }

  /** Crossings whose parents form a ring are reachable from no root; they become roots rather than vanish. */
  buildRings(): void {
    for (const key of [...this.children.keys()]) {
      if (this.children.has(key)) this.build(key, '');
    }
  }
}

/**
 * Assembles everything kept about one trace. Tolerates missing parents, late and foreign spans; what is lacking is named in
 * `replayability`. `logs`: log records of the same trace, where instrumentations put what was said into them; what
 * belongs to a span is joined to it, in `data` of the recording too. Throws ReenactError `recording-damaged` where there
 * is no span or more than one trace.
 */
export function assembleRecording(received: TracesData, logs?: LogsData): Recording {
  const data = logs === undefined ? received : joinLogEvents(received, logs);
  const { spans, resource } = indexSpans(data);
  const drafts = readDrafts(spans.values());
  dropSpansAround(drafts, spans);
  const builder = new TreeBuilder(drafts, spans);
  builder.build(undefined, '');
  builder.buildRings();
  const { crossings } = builder;
  const bySpanId = new Map(crossings.map((crossing) => [crossing.spanId, crossing]));
  const roots = crossings.filter(({ parentSpanId }) => parentSpanId === undefined || !bySpanId.has(parentSpanId));
  const traceId = spans.values().next().value?.traceId ?? '';
  return {
    traceId,
    crossings,
    roots,
    bySpanId,
    spans,
    resource,
    replayability: judgeReplayability(crossings, drafts, spans),
    data,
  };
}
