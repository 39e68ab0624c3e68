import { ATTR_ERROR_TYPE, ATTR_SERVICE_NAME } from '@reenact/semconv/core';
import { ATTR_GEN_AI_REQUEST_MODEL, ATTR_GEN_AI_RESPONSE_MODEL } from '@reenact/semconv/gen-ai';
import {
  ATTR_REENACT_INPUT_VIOLATIONS,
  ATTR_REENACT_KEEP,
  ATTR_REENACT_OUTCOME,
  ATTR_REENACT_PROCESS_RUNS_BEFORE,
  ATTR_REENACT_REQUIRES_MISSING,
  ATTR_REENACT_SCHEMA,
  REENACT_OUTCOME_VALUE_PENDING,
} from '@reenact/semconv/reenact';
import { crossingLabel, describeError, findRootSpan, type ReenactError } from '@reenact/trace-model';
import type { RunSummary } from '@reenact/trace-model/collector-api';
import { toSearchableTexts } from '../../store/search/searchable-texts.ts';
import type { CrossingText, Observation, RunFacets, SummarisedRun } from '../../store/store.ts';
import { SUMMARY_MISSING_MAX, SUMMARY_NAMES_MAX } from '../limits.ts';
import type { AssembledTrace } from '../traces/assemble-trace.ts';
import { distinct, type ReadCrossing, type ReadSpan, readSpans, textOf, toIsoTime } from '../traces/read-span.ts';
import { crossingTexts } from './crossing-texts.ts';
import { modelUsage } from './model-usage.ts';
import { observeCrossings } from './observe-crossings.ts';
import { ExcerptCollector, type RunExcerpt } from './run-excerpt.ts';
import { facetsOf } from './run-facets.ts';
import { lineageOf } from './run-lineage.ts';

const STATUS_ERROR = 2;
const UNKNOWN_SERVICE = 'unknown_service';

/** What a summary is made with beside the trace. */
export interface SummaryOptions {
  /** Spans that arrived more than once with different content. */
  readonly conflictingSpans: number;
  /** Whether its texts are wanted. */
  readonly keepsText: boolean;
}

/** A trace as far as it is held: whole, or what a summary needs of each span. */
export interface TraceToSummarise extends Pick<AssembledTrace, 'recording' | 'replayability'> {
  readonly spans: readonly ReadSpan[];
  /** How many spans there are, those that are not held included. */
  readonly spanCount: number;
  readonly conflictingSpans: number;
  /** What its crossings made of their inputs; asked of a recorded run alone. */
  readonly observations: () => readonly Observation[];
  /** What a list says that it was about. */
  readonly excerpt: (rootSpanId: string) => RunExcerpt;
  /** What can be searched of it. */
  readonly texts: () => readonly CrossingText[];
}

/** Summarises one trace that is held whole, which has at least one span. */
export function summariseRun(trace: AssembledTrace, { conflictingSpans, keepsText }: SummaryOptions): SummarisedRun {
  const spans = readSpans(trace.data);
  const crossings = trace.recording?.crossings ?? [];
  return summariseTrace({
    ...trace,
    spans,
    spanCount: spans.length,
    conflictingSpans,
    observations: () => observeCrossings(crossings, spans),
    excerpt: (rootSpanId) => (keepsText ? excerptOf(crossings, rootSpanId) : {}),
    texts: () => (keepsText ? crossingTexts(crossings, spans) : []),
  });
}

function excerptOf(crossings: readonly ReadCrossing[], rootSpanId: string): RunExcerpt {
  const collector = new ExcerptCollector();
  for (const crossing of crossings) collector.add(crossing);
  return collector.of(rootSpanId);
}

/** Not all that instrument set the status of what failed; ours do. */
function hasFailed({ span, attributes }: ReadSpan): boolean {
  if (span.status?.code === STATUS_ERROR) return true;
  return textOf(attributes, ATTR_ERROR_TYPE) !== undefined && !attributes.has(ATTR_REENACT_SCHEMA);
}

/** Summarises one trace, of which at least one span is held. */
export function summariseTrace(trace: TraceToSummarise): SummarisedRun {
  const lineage = lineageOf(trace.spans);
  const facets = facetsOf(trace, trace.spans, lineage);
  const summary = summaryOf(trace);
  return {
    summary: { ...summary, ...trace.excerpt(summary.rootSpanId), ...lineage, ...namesOf(facets) },
    facets,
    observations: lineage.origin === 'recorded' ? trace.observations() : [],
    texts: toSearchableTexts(trace.texts()),
  };
}

type Names = Pick<RunSummary, 'agents' | 'sessions' | 'users' | 'tenants' | 'errorTypes'>;
type Counted = Omit<RunSummary, 'origin' | keyof Names>;

function summaryOf({ recording, replayability, spans, spanCount, conflictingSpans }: TraceToSummarise): Counted {
  const rootSpan = findRoot(spans);
  const { span: root } = rootSpan;
  const rootCrossing = recording?.bySpanId.get(root.spanId);
  const start = BigInt(root.startTimeUnixNano);
  const runsBefore = rootSpan.attributes.get(ATTR_REENACT_PROCESS_RUNS_BEFORE);
  const flaggedCount = spans.filter(isFlagged).length;
  const usage = modelUsage(spans);
  const kept = spans
    .map(({ attributes }) => textOf(attributes, ATTR_REENACT_KEEP))
    .find((reason) => reason !== undefined);
  return {
    traceId: root.traceId,
    rootSpanId: root.spanId,
    name: rootCrossing === undefined ? root.name : crossingLabel(rootCrossing),
    service: textOf(rootSpan.resource, ATTR_SERVICE_NAME) ?? UNKNOWN_SERVICE,
    startedAt: toIsoTime(start),
    durationMs: Number(endOfRun(rootSpan, spans) - start) / 1e6,
    status: root.status?.code === STATUS_ERROR ? 'error' : 'ok',
    ...(isPending(rootSpan) ? { isPending: true } : {}),
    ...(kept === undefined ? {} : { kept }),
    ...(runsBefore === undefined ? {} : { runsBefore: Number(runsBefore) }),
    spanCount,
    crossingCount: recording?.crossings.length ?? 0,
    errorCount: spans.filter(hasFailed).length,
    ...(flaggedCount === 0 ? {} : { flaggedCount }),
    ...(conflictingSpans === 0 ? {} : { conflictingSpans }),
    models: distinct(spans.map(readModel)).slice(0, SUMMARY_NAMES_MAX),
    inputTokens: usage.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
    outputTokens: usage.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
    usage: usage.slice(0, SUMMARY_NAMES_MAX),
    replayability: shortened(replayability),
  };
}

/** A run of a hundred thousand crossings that lack the same would otherwise make every list that it is in megabytes long. */
function shortened({ verdict, missing }: RunSummary['replayability']): RunSummary['replayability'] {
  const causes = new Set<string>();
  const named = missing.filter(({ cause }, index) => {
    const isFirst = !causes.has(cause);
    causes.add(cause);
    return isFirst || index < SUMMARY_MISSING_MAX;
  });
  const moreMissing = missing.length - named.length;
  return { verdict, missing: named, ...(moreMissing === 0 ? {} : { moreMissing }) };
}

function namesOf({ agent, session, user, tenant, errorType }: RunFacets): Names {
  const named = { agents: agent, sessions: session, users: user, tenants: tenant, errorTypes: errorType };
  return Object.fromEntries(
    Object.entries(named).flatMap(([key, names]) =>
      names === undefined ? [] : [[key, names.slice(0, SUMMARY_NAMES_MAX)]],
    ),
  );
}

function isFlagged({ attributes }: ReadSpan): boolean {
  return attributes.has(ATTR_REENACT_REQUIRES_MISSING) || attributes.has(ATTR_REENACT_INPUT_VIOLATIONS);
}

/** What is listed of a trace that cannot be read back. */
export function unreadableRun(traceId: string, spanId: string, spanCount: number, error: ReenactError): SummarisedRun {
  const missing = [{ cause: 'damaged' as const, detail: describeError(error) }];
  const summary: RunSummary = {
    traceId,
    rootSpanId: spanId,
    name: 'unreadable',
    origin: 'recorded',
    service: UNKNOWN_SERVICE,
    startedAt: toIsoTime(0n),
    durationMs: 0,
    status: 'error',
    spanCount,
    crossingCount: 0,
    errorCount: 0,
    models: [],
    inputTokens: 0,
    outputTokens: 0,
    usage: [],
    replayability: { verdict: 'cold', missing },
  };
  return { summary, facets: { missing: ['damaged'] }, observations: [], texts: undefined };
}

function findRoot(spans: readonly ReadSpan[]): ReadSpan {
  const root = findRootSpan(spans.map(({ span }) => span));
  return spans.find(({ span }) => span === root) as ReadSpan;
}

function isPending({ span, attributes }: ReadSpan): boolean {
  return BigInt(span.endTimeUnixNano) === 0n || attributes.get(ATTR_REENACT_OUTCOME) === REENACT_OUTCOME_VALUE_PENDING;
}

/** The root's end, or where that is pending, the last end known. */
function endOfRun({ span: root }: ReadSpan, spans: readonly ReadSpan[]): bigint {
  const start = BigInt(root.startTimeUnixNano);
  const rootEnd = BigInt(root.endTimeUnixNano);
  if (rootEnd >= start) return rootEnd;
  return spans.reduce((last, { span }) => {
    const end = BigInt(span.endTimeUnixNano);
    return end > last ? end : last;
  }, start);
}

function readModel({ attributes }: ReadSpan): string | undefined {
  return textOf(attributes, ATTR_GEN_AI_RESPONSE_MODEL) ?? textOf(attributes, ATTR_GEN_AI_REQUEST_MODEL);
}
