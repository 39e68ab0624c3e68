import type { Span } from '@reenact/otlp';
import { ATTR_ERROR_TYPE } from '@reenact/semconv/core';
import {
  ATTR_GEN_AI_REQUEST_MODEL,
  ATTR_GEN_AI_RESPONSE_MODEL,
  ATTR_GEN_AI_USAGE_INPUT_TOKENS,
  ATTR_GEN_AI_USAGE_OUTPUT_TOKENS,
} from '@reenact/semconv/gen-ai';
import { type Crossing, flagsOf, inputPreview, outcomePreview, ReenactError } from '@reenact/trace-model';
import { API_OPERATIONS, type CrossingNode, type OtherSpan, type RunTree } from '@reenact/trace-model/collector-api';
import { PREVIEW_CHARACTERS_MAX, RECORDING_PIECE_BYTES, TREE_BYTES_MAX, TREE_SPANS_MAX } from '../limits.ts';
import type { SpanReference, Store, StoredSpan } from '../store/store.ts';
import { type Answerer, answerJson, lackingRuns, parametersOf } from './answer.ts';
import type { AssembledTrace } from './assemble-trace.ts';
import { copiedStart } from './copied-start.ts';
import type { PriceTable } from './price-table.ts';
import { readSpans, textOf, toIsoTime } from './read-span.ts';
import { notFound, resolveTrace } from './resolve-trace.ts';
import type { StoredTraces } from './stored-traces.ts';
import type { Summariser } from './summariser.ts';

/** What a tree is made of. */
export interface RunTreeSources {
  readonly store: Store;
  readonly traces: StoredTraces;
  readonly summariser: Summariser;
  readonly prices: PriceTable;
}

/** `GET /api/v1/runs/{traceIdOrSpanId}`: one run with its tree of crossings. */
export function createRunTreeAnswerer({ store, traces, summariser, prices }: RunTreeSources): Answerer {
  return async (question) => {
    parametersOf(question, API_OPERATIONS.getRun.parameters);
    const { tenant } = question;
    const traceId = await resolveTrace(store, question);
    const unsummarised = await summariser.catchUp(tenant, traceId);
    const [run] = (await store.listRuns(tenant, { trace: traceId }, 1)).runs;
    const spans = await readAll(store, await store.listSpans(tenant, traceId));
    if (spans.length === 0) throw notFound(`There is no trace ${traceId}.`, question.id);
    if (run === undefined) throw stillSummarised(traceId);
    const assembled = await traces.assemble(tenant, traceId, spans);
    const tree: RunTree = { run: prices.priced(run), ...treeOf(assembled), ...lackingRuns(unsummarised) };
    return answerJson(tree);
  };
}

/** All of these spans; of a run that is too large for a tree no more is read than tells so. */
async function readAll(store: Store, references: readonly SpanReference[]): Promise<StoredSpan[]> {
  const bytesMax = TREE_BYTES_MAX * (store.threadAccess.memoryShare ?? 1);
  if (references.length > TREE_SPANS_MAX) throw tooLarge(`${references.length} spans`, bytesMax);
  const spans: StoredSpan[] = [];
  let bytes = 0;
  while (spans.length < references.length) {
    const piece = await store.readSpans(references.slice(spans.length), RECORDING_PIECE_BYTES);
    spans.push(...piece);
    bytes += piece.reduce((sum, span) => sum + span.bytes.length, 0);
    if (bytes > bytesMax) throw tooLarge(`more than ${bytesMax} bytes`, bytesMax);
  }
  return spans;
}

function tooLarge(size: string, bytesMax: number): ReenactError {
  const most = `${TREE_SPANS_MAX} spans or ${bytesMax} bytes`;
  return new ReenactError('too-large', `The run has ${size}, and a tree is made of ${most} at most.`, {
    next: 'Read the recording itself: GET /api/v1/recordings/{id} gives it piece by piece.',
  });
}

function stillSummarised(traceId: string): ReenactError {
  return new ReenactError('store-busy', `The run of trace ${traceId} still waits for its summary.`, {
    next: 'Ask again, or read the recording itself: GET /api/v1/recordings/{id} waits for nothing.',
    retryable: true,
  });
}

function treeOf({ data, recording }: AssembledTrace): Pick<RunTree, 'crossings' | 'otherSpans'> {
  const spans = readSpans(data).map(({ span }) => span);
  return {
    crossings: (recording?.crossings ?? []).map(toNode),
    otherSpans: spans.filter(({ spanId }) => recording?.bySpanId.has(spanId) !== true).map(toOtherSpan),
  };
}

function toNode(crossing: Crossing): CrossingNode {
  const { spanId, parentSpanId, path, kind, name, effect, outcome, toolCallId, attributes } = crossing;
  const model = textOf(attributes, ATTR_GEN_AI_RESPONSE_MODEL) ?? textOf(attributes, ATTR_GEN_AI_REQUEST_MODEL);
  const flags = flagsOf(crossing);
  const facts: Partial<CrossingNode> = {
    parentSpanId,
    errorType: textOf(attributes, ATTR_ERROR_TYPE),
    durationMs: durationMs(crossing.startTimeUnixNano, crossing.endTimeUnixNano),
    model,
    toolCallId,
    inputTokens: integerOf(crossing, ATTR_GEN_AI_USAGE_INPUT_TOKENS),
    outputTokens: integerOf(crossing, ATTR_GEN_AI_USAGE_OUTPUT_TOKENS),
    flags: flags.length === 0 ? undefined : flags,
  };
  return {
    spanId,
    path,
    kind,
    name,
    effect,
    outcome: outcome.type,
    startedAt: toIsoTime(crossing.startTimeUnixNano),
    input: preview(() => inputPreview(crossing)),
    output: preview(() => outcomePreview(crossing)),
    ...known(facts),
  };
}

/** What cannot be read is damaged, which the run says; its tree is shown all the same. */
function preview(read: () => string): string {
  try {
    const line = read().replaceAll(/\s+/g, ' ');
    return line.length <= PREVIEW_CHARACTERS_MAX ? line : `${copiedStart(line, PREVIEW_CHARACTERS_MAX - 1)}…`;
  } catch {
    return '(cannot be read)';
  }
}

function integerOf({ attributes }: Crossing, key: string): number | undefined {
  const value = attributes.get(key);
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined;
}

function durationMs(start: bigint, end: bigint): number | undefined {
  return end === 0n ? undefined : Math.max(0, Number(end - start) / 1e6);
}

function toOtherSpan(span: Span): OtherSpan {
  const start = BigInt(span.startTimeUnixNano);
  const facts: Partial<OtherSpan> = {
    parentSpanId: span.parentSpanId,
    durationMs: durationMs(start, BigInt(span.endTimeUnixNano)),
  };
  return {
    spanId: span.spanId,
    name: span.name,
    startedAt: toIsoTime(start),
    status: span.status?.code === 2 ? 'error' : 'ok',
    ...known(facts),
  };
}

function known<Facts extends object>(facts: Facts): { [Key in keyof Facts]: Exclude<Facts[Key], undefined> } {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)) as never;
}
