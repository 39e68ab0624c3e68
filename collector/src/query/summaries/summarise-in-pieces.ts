import { setImmediate as nextTurn } from 'node:timers/promises';
import { awaitsLogEvents, type CrossingDraft, joinLogEvents, readCrossing, withoutContent } from '@reenact/dialects';
import { type LogsData, outlineSpanBytes, type TracesData } from '@reenact/otlp';
import type { Missing } from '@reenact/trace-model';
import type { Observation, SpanReference, StoredSpan, SummarisedRun } from '../../store/store.ts';
import { OBSERVATIONS_PER_RUN_MAX, OUTLINE_ITEM_BYTES_MAX } from '../limits.ts';
import { type AssembledTrace, assembleTrace, withMissing } from '../traces/assemble-trace.ts';
import { byScope, type ReadSpan, readSpans } from '../traces/read-span.ts';
import { TextCollector } from './crossing-texts.ts';
import { observeCrossing } from './observe-crossings.ts';
import { outlineAttributes, outlineSpan } from './outline-span.ts';
import { ExcerptCollector } from './run-excerpt.ts';
import { summariseTrace } from './run-summary.ts';
import { unreadCrossing } from './unread-crossing.ts';

/** A dialect of another instrumentation: what its spans say may be said again, exactly, by one of ours below them. */
const OWN_DIALECT = 'reenact';

/** A trace that is read piece by piece. */
export interface TraceInPieces {
  /** The spans to look at, in start order. */
  readonly references: readonly SpanReference[];
  /** How many spans there are. */
  readonly spanCount: number;
  readonly conflictingSpans: number;
  /** Spans above this size are looked at without what was said in them. */
  readonly spanBytesMax: number;
  readonly keepsText: boolean;
  /** Reads the first of these spans, at least one. */
  readonly readPiece: (references: readonly SpanReference[]) => readonly StoredSpan[];
  /** What was read becomes one document, after which its bytes are used no more. */
  readonly decode: (spans: readonly StoredSpan[]) => Promise<TracesData>;
  /** The log records of the trace; undefined where they are too many to be held. */
  readonly readLogs: () => Promise<LogsData | undefined>;
}

/** Spans of one resource as they were found, without what was said in them. */
interface OutlineGroup {
  readonly resource: TracesData['resourceSpans'][number];
  readonly attributes: ReadSpan['resource'];
  readonly spans: Map<string, ReadSpan>;
}

/** What is kept of the spans of one run while they are looked at one after the other. */
class RunInPieces {
  private readonly trace: TraceInPieces;
  private readonly groups = new Map<string, OutlineGroup>();
  private readonly crossings = new Map<string, CrossingDraft>();
  private readonly observations: Observation[] = [];
  private readonly texts = new TextCollector();
  private readonly excerpts = new ExcerptCollector();

  constructor(trace: TraceInPieces) {
    this.trace = trace;
  }

  /** Looks at these spans; those of other instrumentations, of which only the whole tree tells which count, only with `isForeign`. */
  async read(references: readonly SpanReference[], isForeign: boolean, logs?: LogsData): Promise<void> {
    for (let from = 0; from < references.length; ) {
      const stored = this.trace.readPiece(references.slice(from));
      from += stored.length;
      const facts = new Map(stored.map((span) => [span.spanId, { group: span.resource.id, bytes: span.bytes.length }]));
      const decoded = await this.trace.decode(stored.map((span) => this.outlined(span)));
      for (const resource of (logs === undefined ? decoded : joinLogEvents(decoded, logs)).resourceSpans) {
        for (const span of readSpans({ resourceSpans: [resource] })) {
          const { group = '', bytes = 0 } = facts.get(span.span.spanId) ?? {};
          this.add(this.groupOf(group, resource, span), span, bytes > this.trace.spanBytesMax ? bytes : 0, isForeign);
        }
      }
      this.excerpts.letGo();
      // A stop is waiting for no more than one piece.
      await nextTurn();
    }
  }

  /** The run as far as it is known; what is not is named. */
  assemble(lacking: readonly Missing[]): AssembledTrace {
    const resourceSpans = [...this.groups.values()].map(({ resource, spans }) => ({
      ...resource,
      scopeSpans: byScope(spans.values()),
    }));
    return withMissing(assembleTrace({ resourceSpans }, undefined, this.crossings), lacking);
  }

  summarise(assembled: AssembledTrace): SummarisedRun {
    const { spanCount, conflictingSpans, keepsText } = this.trace;
    const spans = [...this.groups.values()].flatMap((group) => [...group.spans.values()]);
    const observations = () => this.observations;
    const texts = () => {
      for (const span of keepsText ? spans : []) this.texts.addStatus(span);
      return this.texts.texts;
    };
    const excerpt = (rootSpanId: string) => this.excerpts.of(rootSpanId);
    return summariseTrace({ ...assembled, spans, spanCount, conflictingSpans, observations, excerpt, texts });
  }

  /** What is not looked at is not decoded: that takes several times its size. */
  private outlined(span: StoredSpan): StoredSpan {
    if (span.bytes.length <= this.trace.spanBytesMax) return span;
    return { ...span, bytes: outlineSpanBytes(span.bytes, span.format, OUTLINE_ITEM_BYTES_MAX) };
  }

  private groupOf(id: string, { scopeSpans: _, ...resource }: OutlineGroup['resource'], span: ReadSpan): OutlineGroup {
    const group = this.groups.get(id) ?? {
      resource: { ...resource, scopeSpans: [] },
      attributes: span.resource,
      spans: new Map(),
    };
    this.groups.set(id, group);
    return group;
  }

  private add(group: OutlineGroup, span: ReadSpan, unreadBytes: number, isForeign: boolean): void {
    const { spanId } = span.span;
    const draft =
      unreadBytes > 0
        ? unreadCrossing(span, `${unreadBytes} bytes in one span`)
        : readCrossing(span.span, span.attributes);
    const kept = outlineAttributes(span.attributes);
    group.spans.set(spanId, outlineSpan({ ...span, resource: group.attributes }, kept));
    if (draft === undefined) return;
    if (unreadBytes === 0 && isForeign === (draft.dialect !== OWN_DIALECT)) this.gather(draft, group.attributes);
    this.crossings.set(spanId, withoutContent(draft, kept));
  }

  private gather(crossing: CrossingDraft, resource: ReadSpan['resource']): void {
    if (this.trace.keepsText) {
      this.excerpts.add(crossing);
      this.texts.addCrossing(crossing);
    }
    if (this.observations.length >= OBSERVATIONS_PER_RUN_MAX) return;
    const observation = observeCrossing(crossing, resource);
    if (observation !== undefined) this.observations.push(observation);
  }
}

/**
 * Summarises a run that is too large to be held in memory: it is looked at a piece at a time, of which no more is kept than the summary
 * needs. Where even that is too much, the summary says what it is without (`unread`).
 */
export async function summariseInPieces(trace: TraceInPieces): Promise<SummarisedRun> {
  const { references, spanCount } = trace;
  const lacking: Missing[] = [];
  const unreadSpans = spanCount - references.length;
  if (unreadSpans > 0) lacking.push({ cause: 'unread', detail: `the last ${unreadSpans} of ${spanCount} spans` });
  const run = new RunInPieces(trace);
  await run.read(references, false);
  const alone = run.assemble(lacking);
  const foreign = new Set(
    (alone.recording?.crossings ?? []).filter(({ dialect }) => dialect !== OWN_DIALECT).map(({ spanId }) => spanId),
  );
  if (foreign.size === 0) return run.summarise(alone);
  const isAwaiting = alone.recording !== undefined && awaitsLogEvents(alone.recording);
  const logs = isAwaiting ? await trace.readLogs() : undefined;
  if (isAwaiting && logs === undefined) lacking.push({ cause: 'unread', detail: 'its log records' });
  await run.read(
    references.filter(({ spanId }) => foreign.has(spanId)),
    true,
    logs,
  );
  return run.summarise(run.assemble(lacking));
}
