import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Span } from '@reenact/otlp';
import { ATTR_ERROR_TYPE, ATTR_SERVICE_NAME } from '@reenact/semconv/core';
import {
  ATTR_GEN_AI_OPERATION_NAME,
  ATTR_GEN_AI_REQUEST_MODEL,
  ATTR_GEN_AI_RESPONSE_MODEL,
  ATTR_GEN_AI_USAGE_INPUT_TOKENS,
  ATTR_GEN_AI_USAGE_OUTPUT_TOKENS,
} from '@reenact/semconv/gen-ai';
import {
  ATTR_REENACT_INPUT_INVALID,
  ATTR_REENACT_INPUT_VIOLATIONS,
  ATTR_REENACT_REQUIRES_MISSING,
} from '@reenact/semconv/reenact';
import {
  type Crossing,
  flagsOf,
  inputPreview,
  type OfferedRecording,
  offeredReplay,
  outcomePreview,
  ReenactError,
  recordedCommand,
} from '@reenact/trace-model';
import {
  API_OPERATIONS,
  type Cost,
  type CrossingNode,
  type OtherSpan,
  type RunTree,
} from '@reenact/trace-model/collector-api';
import type { SpanReference, Store, StoredSpan } from '../store/store.ts';
import { type Answerer, answerJson, lackingRuns, parametersOf } from './answer.ts';
import type { FollowPlaces } from './follow-place.ts';
import {
  PREVIEW_CHARACTERS_READ,
  TREE_BYTES_MAX,
  TREE_NODES_PER_PIECE,
  TREE_OUTLINES_MAX,
  TREE_SPANS_MAX,
} from './limits.ts';
import type { PriceTable } from './price-table.ts';
import { notFound, resolveTrace } from './resolve-trace.ts';
import { beginningOf } from './summaries/beginning-of.ts';
import { USAGE_KEYS, usageOf } from './summaries/model-usage.ts';
import { TraceOutline } from './summaries/outline-trace.ts';
import type { Summariser } from './summaries/summariser.ts';
import { bySpanId, outlinedFailure, toldFailure } from './told-failure.ts';
import type { AssembledTrace } from './traces/assemble-trace.ts';
import { type ReadSpan, readSpans, textOf, toIsoTime } from './traces/read-span.ts';
import { spansInParts } from './traces/span-parts.ts';
import type { StoredTraces } from './traces/stored-traces.ts';
import { writePieces } from './traces/write-pieces.ts';

/** The attributes that a node of a tree is made of. */
const NODE_KEYS: readonly string[] = [
  ...USAGE_KEYS,
  ATTR_ERROR_TYPE,
  ATTR_REENACT_REQUIRES_MISSING,
  ATTR_REENACT_INPUT_VIOLATIONS,
  ATTR_REENACT_INPUT_INVALID,
];

/** What stands for what was said where that was not looked at. */
const LEFT_OUT = '(left out: the run is too large)';

/** What a tree is made of. */
export interface RunTreeSources {
  readonly store: Store;
  readonly traces: StoredTraces;
  readonly summariser: Summariser;
  readonly places: FollowPlaces;
  readonly prices: PriceTable;
}

/** `GET /api/v1/runs/{traceIdOrSpanId}`: one run with its tree of crossings. */
export function createRunTreeAnswerer({ store, traces, summariser, places, prices }: RunTreeSources): Answerer {
  return async (question) => {
    parametersOf(question, API_OPERATIONS.getRun.parameters);
    const { tenant } = question;
    const traceId = await resolveTrace(store, question);
    const unsummarised = await summariser.catchUp(tenant, traceId);
    const { followFrom } = await places.of(tenant);
    const [run] = (await store.listRuns(tenant, { trace: traceId }, 1)).runs;
    const references = await store.listSpans(tenant, traceId);
    if (references.length === 0) throw notFound(`There is no trace ${traceId}.`, question.id);
    if (run === undefined) throw stillSummarised(traceId);
    const head = { run: prices.priced(run), ...lackingRuns(unsummarised), followFrom };
    const spans = await readWhole(store, references);
    if (spans === undefined) {
      const pieces = outlinePieces(store, references, head, prices);
      return { contentType: 'application/json', stream: (response) => writePieces(response, pieces) };
    }
    const { data, recording } = await traces.assemble(tenant, traceId, spans);
    const read = readSpans(data);
    const services = otherServices(read, run.service);
    const crossings = (recording?.crossings ?? []).map((crossing) => ({
      ...toNode(crossing, prices),
      ...known({ service: services.get(crossing.spanId) }),
    }));
    const all = read.map(({ span }) => span);
    const otherSpans = otherSpansOf(all, recording).map(toOtherSpan);
    const judged = recording ?? { crossings: [], spans: bySpanId(all) };
    return answerJson({
      ...head,
      ...toldFailure(judged),
      ...startOf(recording),
      crossings,
      otherSpans,
    } satisfies RunTree);
  };
}

/** All of these spans; undefined where they are too large for a tree, and no more is read than tells so. */
async function readWhole(store: Store, references: readonly SpanReference[]): Promise<StoredSpan[] | undefined> {
  const bytesMax = TREE_BYTES_MAX * (store.threadAccess.memoryShare ?? 1);
  if (references.length > TREE_SPANS_MAX) return undefined;
  const spans: StoredSpan[] = [];
  let bytes = 0;
  for await (const part of spansInParts(store, references)) {
    spans.push(...part);
    bytes += part.reduce((sum, span) => sum + span.bytes.length, 0);
    if (bytes > bytesMax) return undefined;
  }
  return spans;
}

/** The tree of a run that is too large to be held: without what was said, which each crossing says. */
async function* outlinePieces(
  store: Store,
  references: readonly SpanReference[],
  head: Pick<RunTree, 'run'>,
  prices: PriceTable,
): AsyncGenerator<string> {
  const outlinesMax = TREE_OUTLINES_MAX * (store.threadAccess.memoryShare ?? 1);
  const leftOutSpans = Math.max(0, references.length - outlinesMax);
  const facts = { ...head, isOutline: true, ...(leftOutSpans === 0 ? {} : { leftOutSpans }) };
  yield JSON.stringify(facts).slice(0, -1);
  const outline = new TraceOutline(NODE_KEYS);
  for await (const part of spansInParts(store, references.slice(0, outlinesMax))) {
    outline.add(part);
    // White space, which JSON allows there: whoever waits sees that the rest is on its way.
    yield ' ';
    await nextTurn();
  }
  const { spans, bytesOf, resource } = outline;
  const { recording } = outline.assemble();
  yield ',"crossings":[';
  yield* listPieces(recording?.crossings ?? [], (crossing) => toNode(crossing, prices, bytesOf.get(crossing.spanId)));
  yield '],"otherSpans":[';
  yield* listPieces(otherSpansOf(spans, recording), toOtherSpan);
  // Judged by its summary, for which all of it was looked at.
  const judged =
    recording === undefined ? undefined : { ...recording, resource, replayability: head.run.replayability };
  const failure = outlinedFailure(recording ?? { crossings: [], spans: bySpanId(spans) });
  const start = JSON.stringify({ ...failure, ...startOf(judged) }).slice(1);
  yield start === '}' ? ']}' : `],${start}`;
}

/** How the process was started that the run is of, and how the run is replayed. */
function startOf(recording: OfferedRecording | undefined): Pick<RunTree, 'command' | 'replay'> {
  if (recording === undefined) return {};
  return known({ command: recordedCommand(recording), replay: offeredReplay(recording) });
}

/** The members of a list, written some at a time: all of them as objects and as text would be several times what they are made of. */
function* listPieces<Item>(items: readonly Item[], toNodeOf: (item: Item) => object): Generator<string> {
  for (let from = 0; from < items.length; from += TREE_NODES_PER_PIECE) {
    const nodes = items.slice(from, from + TREE_NODES_PER_PIECE).map(toNodeOf);
    yield `${from === 0 ? '' : ','}${JSON.stringify(nodes).slice(1, -1)}`;
  }
}

function stillSummarised(traceId: string): ReenactError {
  return new ReenactError('store-busy', `The run of trace ${traceId} still waits for its summary.`, {
    next: 'Ask again, or read the recording itself: GET /api/v1/recordings/{id} waits for nothing.',
    retryable: true,
  });
}

/** The service of each span that is of another one than the run. */
function otherServices(read: readonly ReadSpan[], own: string): Map<string, string> {
  return new Map(
    read.flatMap(({ span, resource }) => {
      const service = textOf(resource, ATTR_SERVICE_NAME);
      return service === undefined || service === own ? [] : [[span.spanId, service] as const];
    }),
  );
}

function otherSpansOf(spans: readonly Span[], recording: AssembledTrace['recording']): Span[] {
  return spans.filter(({ spanId }) => recording?.bySpanId.has(spanId) !== true);
}

/** `leftOutBytes`: how large its span is, where what was said in it was not looked at. */
function toNode(crossing: Crossing, prices: PriceTable, leftOutBytes?: number): CrossingNode {
  const { spanId, parentSpanId, path, kind, name, effect, outcome, toolCallId, attributes } = crossing;
  const model = textOf(attributes, ATTR_GEN_AI_RESPONSE_MODEL) ?? textOf(attributes, ATTR_GEN_AI_REQUEST_MODEL);
  const flags = flagsOf(crossing);
  const facts: Partial<CrossingNode> = {
    parentSpanId,
    errorType: textOf(attributes, ATTR_ERROR_TYPE),
    durationMs: durationMs(crossing.startTimeUnixNano, crossing.endTimeUnixNano),
    operation: textOf(attributes, ATTR_GEN_AI_OPERATION_NAME),
    model,
    toolCallId,
    inputTokens: integerOf(crossing, ATTR_GEN_AI_USAGE_INPUT_TOKENS),
    outputTokens: integerOf(crossing, ATTR_GEN_AI_USAGE_OUTPUT_TOKENS),
    cost: costOf(crossing, prices),
    flags: flags.length === 0 ? undefined : flags,
    leftOutBytes,
  };
  return {
    spanId,
    path,
    kind,
    name,
    effect,
    outcome: outcome.type,
    startedAt: toIsoTime(crossing.startTimeUnixNano),
    input: leftOutBytes === undefined ? preview(() => inputPreview(crossing, PREVIEW_CHARACTERS_READ)) : LEFT_OUT,
    output: leftOutBytes === undefined ? preview(() => outcomePreview(crossing, PREVIEW_CHARACTERS_READ)) : LEFT_OUT,
    ...known(facts),
  };
}

/** What cannot be read is damaged, which the run says; its tree is shown all the same. */
function preview(read: () => string): string {
  try {
    return beginningOf(read());
  } catch {
    return '(cannot be read)';
  }
}

function integerOf({ attributes }: Crossing, key: string): number | undefined {
  const value = attributes.get(key);
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined;
}

/** Undefined of what used no tokens, as of all where there are no prices. */
function costOf({ attributes }: Crossing, prices: PriceTable): Cost | undefined {
  const usage = usageOf({ attributes });
  return usage.inputTokens + usage.outputTokens === 0 ? undefined : prices.costOf([usage]);
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
