import type { GroupSlice, LogSlice, SliceFormat, SpanSlice } from '@reenact/otlp';
import { ATTR_GEN_AI_SYSTEM } from '@reenact/semconv/gen-ai';
import {
  ATTR_REENACT_OUTCOME,
  ATTR_REENACT_OUTLIVES_RUN,
  ATTR_REENACT_SCHEMA,
  REENACT_OUTCOME_VALUE_PENDING as PENDING,
  REENACT_OUTLIVES_RUN_VALUE_WAITING as WAITING,
} from '@reenact/semconv/reenact';
import { PAYLOAD_KEYS } from '../payload-keys.ts';
import { LOG_RANK_CONTENT } from './index/item-index.ts';
import { type Allocate, type Batch, type BatchItem, encodeBatch } from './log/batch.ts';
import type { BatchGroup } from './log/batch-group.ts';
import { FRAME_HEADER_BYTES } from './log/frame.ts';
import type { MetricsRequest } from './store.ts';

const TIME_MAX = 2n ** 63n - 1n;
const ENDED = 4;

/** A time as the index can hold it; what is beyond the year 2262 sorts together at the end. */
function clamp(value: bigint): bigint {
  return value > TIME_MAX ? TIME_MAX : value;
}

/** Attributes that are read of each span. */
export const RANKING_KEYS: readonly string[] = [
  ATTR_REENACT_OUTCOME,
  ATTR_REENACT_OUTLIVES_RUN,
  ATTR_REENACT_SCHEMA,
  ...PAYLOAD_KEYS,
];

/**
 * 4 where the span has ended, plus 2: a crossing with its payload; 1: one whose payload was left out; 0: an ordinary span. 3: a crossing with its
 * payload that has not ended, and whose answer somebody still reads, which may have been told of as left before.
 */
function readRank(span: SpanSlice): number {
  const present = span.attributesPresent(RANKING_KEYS);
  const isPending = present.has(ATTR_REENACT_OUTCOME) && span.attribute(ATTR_REENACT_OUTCOME) === PENDING;
  const ended = span.facts.endTimeUnixNano === 0n || isPending ? 0 : ENDED;
  if (!present.has(ATTR_REENACT_SCHEMA)) return ended;
  if (!PAYLOAD_KEYS.some((key) => present.has(key))) return ended + 1;
  const isReadOn =
    isPending && present.has(ATTR_REENACT_OUTLIVES_RUN) && span.attribute(ATTR_REENACT_OUTLIVES_RUN) === WAITING;
  return ended + (isReadOn ? 3 : 2);
}

/** Where items are sent on to, and the collectors they passed. */
type Onward = Pick<Batch, 'destinations' | 'passed'>;

interface Slice {
  readonly format: SliceFormat;
  readonly bytes: Uint8Array;
  readonly resource: GroupSlice;
  readonly scope: GroupSlice;
}

/** Makes the item of a slice, which is the one at this position, in these groups. */
type ToItem<Item extends Slice> = (slice: Item, id: number, resource: number, scope: number) => BatchItem;

function toFrame<Item extends Slice>(
  tenant: string,
  slices: readonly Item[],
  onward: Onward,
  toItem: ToItem<Item>,
  allocate: Allocate | undefined,
): Buffer<ArrayBuffer> {
  const groups: BatchGroup[] = [];
  const positions = new Map<GroupSlice, number>();
  const position = (slice: GroupSlice, format: SliceFormat): number => {
    const known = positions.get(slice) ?? groups.push({ format, ...slice }) - 1;
    positions.set(slice, known);
    return known;
  };
  const items = slices.map((slice, id) =>
    toItem(slice, id, position(slice.resource, slice.format), position(slice.scope, slice.format)),
  );
  return encodeBatch({ tenant, ...onward, groups, items }, 0, FRAME_HEADER_BYTES, allocate);
}

/** Spans of one append as a frame for the log, in memory of its own or what `allocate` gives; what the index needs of them is read here, once. */
export function spansToFrame(
  tenant: string,
  spans: readonly SpanSlice[],
  onward: Onward,
  allocate?: Allocate,
): Buffer<ArrayBuffer> {
  const toItem: ToItem<SpanSlice> = (span, id, resource, scope) => ({
    id,
    signal: 0,
    traceId: span.facts.traceId,
    spanId: span.facts.spanId,
    timeNs: clamp(span.facts.startTimeUnixNano),
    rank: readRank(span),
    format: span.format,
    resource,
    scope,
    bytes: span.bytes,
  });
  return toFrame(tenant, spans, onward, toItem, allocate);
}

/** What GenAI content is told by, in protobuf and in JSON. */
const GEN_AI_MARK = Buffer.from(ATTR_GEN_AI_SYSTEM.slice(0, ATTR_GEN_AI_SYSTEM.indexOf('.') + 1));

/** 1: it may tell what a model was asked and answered, so it changes what is known of its run; 0 for every other record. */
function readLogRank({ facts, bytes }: LogSlice): number {
  if (facts.traceId === '') return 0;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(GEN_AI_MARK) ? LOG_RANK_CONTENT : 0;
}

/** Log records of one append as a frame. */
export function logsToFrame(
  tenant: string,
  records: readonly LogSlice[],
  onward: Onward,
  allocate?: Allocate,
): Buffer<ArrayBuffer> {
  const toItem: ToItem<LogSlice> = (record, id, resource, scope) => ({
    id,
    signal: 1,
    traceId: record.facts.traceId,
    spanId: record.facts.spanId,
    timeNs: clamp(record.facts.timeUnixNano),
    rank: readLogRank(record),
    format: record.format,
    resource,
    scope,
    bytes: record.bytes,
  });
  return toFrame(tenant, records, onward, toItem, allocate);
}

/** A metrics request as a frame. */
export function metricsToFrame(
  tenant: string,
  request: MetricsRequest,
  onward: Onward,
  allocate?: Allocate,
): Buffer<ArrayBuffer> {
  const none: GroupSlice = { bytes: new Uint8Array(0), schemaUrl: '' };
  const slice = { ...request, resource: none, scope: none };
  const facts = { signal: 2, traceId: '', spanId: '', timeNs: 0n, rank: 0 } as const;
  const toItem: ToItem<Slice> = ({ format, bytes }, id, resource, scope) => ({
    ...facts,
    id,
    format,
    resource,
    scope,
    bytes,
  });
  return toFrame(tenant, [slice], onward, toItem, allocate);
}
