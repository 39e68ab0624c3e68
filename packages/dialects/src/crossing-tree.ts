import { type PlainValue, type ResourceSpans, type Span, type TracesData, toMap } from '@reenact/otlp';
import {
  ATTR_PROCESS_PARENT_PID,
  ATTR_PROCESS_PID,
  ATTR_SERVICE_INSTANCE_ID,
  ATTR_SERVICE_NAME,
} from '@reenact/semconv/core';
import { type Crossing, crossingLabel } from '@reenact/trace-model';
import type { Attributes } from './attributes.ts';
import type { CrossingDraft, Dialect } from './dialect.ts';
import { dropOtherVocabularies, dropRepeatedCalls } from './drop-repeated-calls.ts';
import { joinLateEvents } from './late-events.ts';
import { otelGenAiDialect } from './otel-genai/otel-genai-dialect.ts';
import { reenactDialect } from './reenact/reenact-dialect.ts';
import { semconvAttributes, VOCABULARIES, vocabularyOfScope } from './semconv-attributes.ts';
import { unixNano } from './unix-nano.ts';
import { vocabularyDialect } from './vocabulary-dialect.ts';

/** In the order they are asked; the first that knows a span reads it. */
const dialects: readonly Dialect[] = [reenactDialect, ...VOCABULARIES.map(vocabularyDialect), otelGenAiDialect];

type ProcessIds = Pick<Crossing, 'processId' | 'parentProcessId'>;

interface SpanIndex {
  readonly spans: Map<string, Span>;
  readonly resource: Map<string, PlainValue>;
  /** Names of the instrumentation scopes, by span id. */
  readonly scopes: Map<string, string | undefined>;
  /** Which process each span is of, by span id. */
  readonly processes: Map<string, string>;
  /** The numbers of that process and of the one that had started it, by span id, where its resource says one. */
  readonly processIds: Map<string, ProcessIds>;
}

/** What tells one process from others, as far as its resource says it; equal where nothing does. */
function processOf(attributes: Attributes): string {
  const keys = [ATTR_SERVICE_NAME, ATTR_SERVICE_INSTANCE_ID, ATTR_PROCESS_PID];
  return JSON.stringify(keys.map((key) => String(attributes.get(key))));
}

/** The number of a process, which may have been written as text; undefined where its resource does not say it. */
function numberOf(said: PlainValue | undefined, least: number): number | undefined {
  const number = Number(said ?? Number.NaN);
  return Number.isSafeInteger(number) && number >= least ? number : undefined;
}

function processIdsOf(attributes: Attributes): ProcessIds {
  const processId = numberOf(attributes.get(ATTR_PROCESS_PID), 1);
  // The first process of a container has been started by none that it sees, which is 0.
  const parentProcessId = numberOf(attributes.get(ATTR_PROCESS_PARENT_PID), 0);
  return {
    ...(processId === undefined ? {} : { processId }),
    ...(parentProcessId === undefined ? {} : { parentProcessId }),
  };
}

/** Spans that speak as the conventions do are named for whose they are: that is who can be told how to keep what is missing. */
function nameForScope(drafts: Map<string, CrossingDraft>, scopes: SpanIndex['scopes']): void {
  for (const [spanId, draft] of drafts) {
    const vocabulary = draft.dialect === otelGenAiDialect.name ? vocabularyOfScope(scopes.get(spanId)) : undefined;
    if (vocabulary !== undefined) drafts.set(spanId, { ...draft, dialect: vocabulary.name });
  }
}

/** The crossings of one trace, found in their places. */
export interface CrossingTree extends Omit<SpanIndex, 'scopes' | 'processes' | 'processIds'> {
  /** Parents before children, siblings in start order. */
  readonly crossings: readonly Crossing[];
  readonly bySpanId: ReadonlyMap<string, Crossing>;
  /** What each span by itself told, by span id. */
  readonly drafts: ReadonlyMap<string, CrossingDraft>;
}

/** The group of the first span that stands below no other of its trace, one without a start last; undefined where there is no span. */
function rootGroup({ resourceSpans }: TracesData, spans: ReadonlyMap<string, Span>): ResourceSpans | undefined {
  let first: { readonly group: ResourceSpans; readonly start: bigint } | undefined;
  for (const group of resourceSpans) {
    for (const { parentSpanId, startTimeUnixNano } of group.scopeSpans.flatMap(({ spans: scoped }) => scoped)) {
      if (parentSpanId !== undefined && spans.has(parentSpanId)) continue;
      const start = unixNano(startTimeUnixNano);
      const isEarlier = start !== 0n && (first === undefined || first.start === 0n || start < first.start);
      if (first === undefined || isEarlier) first = { group, start };
    }
  }
  return first?.group;
}

function indexSpans(data: TracesData): SpanIndex {
  const spans = new Map<string, Span>();
  const resource = new Map<string, PlainValue>();
  const scopes = new Map<string, string | undefined>();
  const processes = new Map<string, string>();
  const processIds = new Map<string, ProcessIds>();
  for (const group of data.resourceSpans) {
    const attributes = toMap(group.resource?.attributes);
    for (const [key, value] of attributes) resource.set(key, value);
    const process = processOf(attributes);
    const numbers = processIdsOf(attributes);
    for (const { scope, spans: scoped } of group.scopeSpans) {
      for (const span of scoped) {
        spans.set(span.spanId, span);
        scopes.set(span.spanId, scope?.name);
        processes.set(span.spanId, process);
        processIds.set(span.spanId, numbers);
      }
    }
  }
  // Where several processes took part, the one that began it is what is started again.
  for (const [key, value] of toMap(rootGroup(data, spans)?.resource?.attributes)) resource.set(key, value);
  return { spans, resource, scopes, processes, processIds };
}

/**
 * What one span alone tells of a crossing; undefined where no dialect knows it. `attributes`: those that `semconvAttributes` gives for it. Throws
 * nothing: damage is named in it.
 */
export function readCrossing(
  span: Span,
  attributes: CrossingDraft['attributes'] = semconvAttributes(span),
): CrossingDraft | undefined {
  for (const dialect of dialects) {
    const draft = dialect.read(span, attributes);
    if (draft !== undefined) return draft;
  }
  return undefined;
}

function readDrafts(spans: Iterable<Span>): Map<string, CrossingDraft> {
  const drafts = new Map<string, CrossingDraft>();
  for (const span of spans) {
    const draft = readCrossing(span);
    if (draft !== undefined) drafts.set(span.spanId, draft);
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

  private readonly processIds: SpanIndex['processIds'];

  constructor(drafts: Map<string, CrossingDraft>, { spans, processIds }: Pick<SpanIndex, 'spans' | 'processIds'>) {
    this.processIds = processIds;
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
      const { parentSpanId: _recorded, unknownVersion: _version, unread: _unread, ...told } = draft;
      const { incomplete: _lack, answerLacks: _answer, ...facts } = told;
      this.crossings.push({
        ...facts,
        path,
        order: draft.order ?? index,
        ...(parentSpanId === undefined ? {} : { parentSpanId }),
        ...this.processIds.get(draft.spanId),
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

/** What is known of a trace beside its spans. */
export interface KnownCrossings {
  /** A crossing that stands for one whose span is missing, so that others are found below it. */
  readonly makeUp?: CrossingDraft;
  /** What the spans tell, by span id, where they were read before: they need hold nothing but their names and places then. */
  readonly read?: ReadonlyMap<string, CrossingDraft>;
}

/** Reads the crossings of one trace. Throws nothing: what is missing or damaged is in the crossings. */
export function crossingTree(data: TracesData, { makeUp, read }: KnownCrossings = {}): CrossingTree {
  const index = indexSpans(data);
  const { spans, resource, scopes, processes } = index;
  const drafts = read === undefined ? readDrafts(spans.values()) : new Map(read);
  if (makeUp !== undefined && !drafts.has(makeUp.spanId)) drafts.set(makeUp.spanId, makeUp);
  nameForScope(drafts, scopes);
  dropSpansAround(drafts, spans);
  dropOtherVocabularies(drafts, processes);
  dropRepeatedCalls(drafts, spans, scopes);
  joinLateEvents(drafts);
  const builder = new TreeBuilder(drafts, index);
  builder.build(undefined, '');
  builder.buildRings();
  const { crossings } = builder;
  return { spans, resource, drafts, crossings, bySpanId: new Map(crossings.map((item) => [item.spanId, item])) };
}
