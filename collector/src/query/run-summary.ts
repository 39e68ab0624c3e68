import { assembleRecording } from '@reenact/dialects';
import { type PlainValue, type Span, type TracesData, toMap } from '@reenact/otlp';
import { ATTR_SERVICE_NAME, ATTR_SESSION_ID, ATTR_USER_ID } from '@reenact/semconv/core';
import {
  ATTR_GEN_AI_AGENT_NAME,
  ATTR_GEN_AI_CONVERSATION_ID,
  ATTR_GEN_AI_OPERATION_NAME,
  ATTR_GEN_AI_REQUEST_MODEL,
  ATTR_GEN_AI_RESPONSE_MODEL,
  ATTR_GEN_AI_USAGE_INPUT_TOKENS,
  ATTR_GEN_AI_USAGE_OUTPUT_TOKENS,
  GEN_AI_OPERATION_NAME_VALUE_CHAT,
  GEN_AI_OPERATION_NAME_VALUE_EMBEDDINGS,
  GEN_AI_OPERATION_NAME_VALUE_GENERATE_CONTENT,
  GEN_AI_OPERATION_NAME_VALUE_TEXT_COMPLETION,
} from '@reenact/semconv/gen-ai';
import {
  ATTR_REENACT_INPUT_VIOLATIONS,
  ATTR_REENACT_REQUIRES_MISSING,
  ATTR_REENACT_SCHEMA,
  REENACT_BOUNDARY_VALUE_AGENT,
} from '@reenact/semconv/reenact';
import { crossingLabel, describeError, type Recording, type ReenactError, toReenactError } from '@reenact/trace-model';
import type { RunSummary } from '@reenact/trace-model/collector-api';
import type { RunFacets } from '../store/store.ts';

const INFERENCES: ReadonlySet<PlainValue> = new Set([
  GEN_AI_OPERATION_NAME_VALUE_CHAT,
  GEN_AI_OPERATION_NAME_VALUE_EMBEDDINGS,
  GEN_AI_OPERATION_NAME_VALUE_GENERATE_CONTENT,
  GEN_AI_OPERATION_NAME_VALUE_TEXT_COMPLETION,
]);
const STATUS_ERROR = 2;

/** A span with its attributes as a map, read once. */
interface ReadSpan {
  readonly span: Span;
  readonly attributes: ReadonlyMap<string, PlainValue>;
}

/** What a list shows of a run and what it can be filtered by. */
export interface SummarisedRun {
  readonly summary: RunSummary;
  readonly facets: RunFacets;
}

/** Summarises one trace, which has at least one span. */
export function summariseRun(data: TracesData, conflictingSpans: number): SummarisedRun {
  const spans = data.resourceSpans.flatMap((group) =>
    group.scopeSpans.flatMap((scope) => scope.spans.map((span) => ({ span, attributes: toMap(span.attributes) }))),
  );
  const assembled = assemble(data);
  const root = findRoot(spans);
  const rootCrossing = assembled.recording?.bySpanId.get(root.spanId);
  const inferences = leafInferences(spans);
  const start = BigInt(root.startTimeUnixNano);
  const flaggedCount = spans.filter(isFlagged).length;
  const summary: RunSummary = {
    traceId: root.traceId,
    rootSpanId: root.spanId,
    name: rootCrossing === undefined ? root.name : crossingLabel(rootCrossing),
    service: readService(data, root),
    startedAt: toIsoTime(start),
    durationMs: Number(endOfRun(root, spans) - start) / 1e6,
    status: root.status?.code === STATUS_ERROR ? 'error' : 'ok',
    spanCount: spans.length,
    crossingCount: spans.filter(({ attributes }) => attributes.has(ATTR_REENACT_SCHEMA)).length,
    errorCount: spans.filter(({ span }) => span.status?.code === STATUS_ERROR).length,
    ...(flaggedCount === 0 ? {} : { flaggedCount }),
    ...(conflictingSpans === 0 ? {} : { conflictingSpans }),
    models: distinct(spans.map(readModel)),
    inputTokens: sum(inferences, ATTR_GEN_AI_USAGE_INPUT_TOKENS),
    outputTokens: sum(inferences, ATTR_GEN_AI_USAGE_OUTPUT_TOKENS),
    replayability: assembled.replayability,
  };
  return { summary, facets: readFacets(spans, assembled.recording) };
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
    service: 'unknown_service',
    startedAt: toIsoTime(0n),
    durationMs: 0,
    status: 'error',
    spanCount,
    crossingCount: 0,
    errorCount: 0,
    models: [],
    inputTokens: 0,
    outputTokens: 0,
    replayability: { verdict: 'cold', missing },
  };
  return { summary, facets: { agents: [], sessions: [], crossings: [] } };
}

interface Assembled {
  readonly recording: Recording | undefined;
  readonly replayability: RunSummary['replayability'];
}

/** A trace no dialect can read is a cold case with a reason, never a reason to lose the list. */
function assemble(data: TracesData): Assembled {
  try {
    const recording = assembleRecording(data);
    const { verdict, missing } = recording.replayability;
    return { recording, replayability: { verdict, missing: [...missing] } };
  } catch (thrown) {
    const detail = describeError(toReenactError(thrown));
    return { recording: undefined, replayability: { verdict: 'cold', missing: [{ cause: 'damaged', detail }] } };
  }
}

/** The earliest span whose parent is not in the trace: the root, or the nearest to it that has arrived. */
function findRoot(spans: readonly ReadSpan[]): Span {
  const known = new Set(spans.map(({ span }) => span.spanId));
  const roots = spans.filter(({ span }) => span.parentSpanId === undefined || !known.has(span.parentSpanId));
  const candidates = roots.length === 0 ? spans : roots;
  const [first, ...rest] = candidates.map(({ span }) => span);
  return rest.reduce((best, span) => (rank(span) < rank(best) ? span : best), first as Span);
}

/** A span that says it has no parent comes before orphans, whatever their clocks say. */
function rank(span: Span): bigint {
  const isOrphan = span.parentSpanId !== undefined && span.parentSpanId !== '';
  return BigInt(span.startTimeUnixNano) + (isOrphan ? 2n ** 64n : 0n);
}

/** The root's end, or where that is pending, the last end known. */
function endOfRun(root: Span, spans: readonly ReadSpan[]): bigint {
  const start = BigInt(root.startTimeUnixNano);
  const rootEnd = BigInt(root.endTimeUnixNano);
  if (rootEnd >= start) return rootEnd;
  return spans.reduce((last, { span }) => {
    const end = BigInt(span.endTimeUnixNano);
    return end > last ? end : last;
  }, start);
}

function toIsoTime(unixNano: bigint): string {
  const milliseconds = Number(unixNano / 1_000_000n);
  return new Date(Math.min(milliseconds, 8.64e15)).toISOString();
}

function readService(data: TracesData, root: Span): string {
  const group = data.resourceSpans.find(({ scopeSpans }) => scopeSpans.some(({ spans }) => spans.includes(root)));
  return String(toMap(group?.resource?.attributes).get(ATTR_SERVICE_NAME) ?? 'unknown_service');
}

function readModel({ attributes }: ReadSpan): string | undefined {
  const model = attributes.get(ATTR_GEN_AI_RESPONSE_MODEL) ?? attributes.get(ATTR_GEN_AI_REQUEST_MODEL);
  return typeof model === 'string' ? model : undefined;
}

/** Inference spans with none below them: an outer one repeats the tokens of the inner ones. */
function leafInferences(spans: readonly ReadSpan[]): ReadSpan[] {
  const inferences = spans.filter(({ attributes }) => INFERENCES.has(attributes.get(ATTR_GEN_AI_OPERATION_NAME) ?? ''));
  const parents = new Map(spans.map(({ span }) => [span.spanId, span.parentSpanId]));
  const outer = new Set<string>();
  for (const { span } of inferences) {
    let parent = span.parentSpanId;
    // Stopping at a span seen before keeps this linear, and ends on traces whose parents form a ring.
    while (parent !== undefined && !outer.has(parent)) {
      outer.add(parent);
      parent = parents.get(parent);
    }
  }
  return inferences.filter(({ span }) => !outer.has(span.spanId));
}

function sum(spans: readonly ReadSpan[], key: string): number {
  return spans.reduce((total, { attributes }) => {
    const tokens = Number(attributes.get(key) ?? 0);
    return Number.isSafeInteger(tokens) && tokens > 0 ? total + tokens : total;
  }, 0);
}

function readFacets(spans: readonly ReadSpan[], recording: Recording | undefined): RunFacets {
  const crossings = (recording?.crossings ?? []).map(({ kind, name }) => ({ kind, name }));
  const named = crossings.filter(({ kind }) => kind === REENACT_BOUNDARY_VALUE_AGENT).map(({ name }) => name);
  const attributed = spans.map(({ attributes }) => attributes.get(ATTR_GEN_AI_AGENT_NAME));
  const sessions = spans.flatMap(({ attributes }) => [
    attributes.get(ATTR_SESSION_ID),
    attributes.get(ATTR_GEN_AI_CONVERSATION_ID),
  ]);
  const users = spans.map(({ attributes }) => toText(attributes.get(ATTR_USER_ID)));
  return {
    agents: distinct([...named, ...attributed.map(toText)]),
    sessions: distinct(sessions.map(toText)),
    crossings,
    users: distinct(users),
  };
}

function toText(value: PlainValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function distinct(values: readonly (string | undefined)[]): string[] {
  return [...new Set(values.filter((value) => value !== undefined))].sort();
}
