import type { SliceFormat } from '@reenact/otlp';
import { ReenactError } from '@reenact/trace-model/reenact-error';
import { damagedTelemetry } from '../store-error.ts';
import { type BatchGroup, identifyGroup } from './batch-group.ts';
import { writeHex } from './hex-bytes.ts';

/** What an item is, as it is written: 0 a span, 1 a log record, 2 a metrics request. */
export type SignalNumber = 0 | 1 | 2;

/** One span, log record or metrics request with what the index needs to know of it. */
export interface BatchItem {
  /** Grows in the order of receipt over the life of a data directory, and never changes. */
  readonly id: number;
  readonly signal: SignalNumber;
  /** Lower-case hex; empty where the item has none. */
  readonly traceId: string;
  readonly spanId: string;
  /** Start of a span, time of a log record, in nanoseconds; at most 2^63-1. */
  readonly timeNs: bigint;
  /** Orders the versions of a span: 4 when it has ended, plus 2 full, 1 slim, 0 ordinary. */
  readonly rank: number;
  readonly format: SliceFormat;
  /** Positions in `groups`. */
  readonly resource: number;
  readonly scope: number;
  readonly bytes: Uint8Array;
}

/** Items of one tenant with everything they belong to: the content of one log frame or of one block. */
export interface Batch {
  readonly tenant: string;
  readonly destinations: readonly string[];
  /** The collectors it passed on its way here, by their ids; absent where there were none. */
  readonly passed?: readonly string[];
  readonly groups: readonly BatchGroup[];
  readonly items: readonly BatchItem[];
}

const COUNTS_BYTES = 8;
const LENGTH_BYTES = 4;
const GROUP_BYTES = 9;
/** Beside the number of its format, of a group with unknown fields: their two lengths follow its own. */
const HAS_UNKNOWN = 2;
const UNKNOWN_BYTES = 8;
const ITEM_BYTES = 56;
const FORMATS = ['protobuf', 'json'] as const;
/** Begins a text that names a collector: no name of a destination begins so. */
const PASSED_MARK = '<';
const TRACE_ID_BYTES = 16;
const IDS_BYTES = TRACE_ID_BYTES + 8;
const TIME_BYTES = 8;
/** A number of 64 bits is read and written in two halves: as a `bigint` it takes several times as long. */
const WORD = 2 ** 32;
/** Takes a time apart and puts it together. */
const time = new DataView(new ArrayBuffer(TIME_BYTES));
const HAS_TRACE = 1;
const HAS_SPAN = 2;

function textBytes(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + LENGTH_BYTES + Buffer.byteLength(text), 0);
}

/** Gives memory of a length, whatever its content is. */
export type Allocate = (bytes: number) => Buffer<ArrayBuffer>;

const allocateNew: Allocate = (bytes) => Buffer.allocUnsafeSlow(bytes);

/**
 * Writes a batch behind `headroomBytes` unused bytes, into memory of its own or what `allocate` gives. Ids are written as their
 * distance from `firstId`. The layout is that of docs/adr/0020-log-and-blocks.md.
 */
export function encodeBatch(
  batch: Batch,
  firstId: number,
  headroomBytes = 0,
  allocate = allocateNew,
): Buffer<ArrayBuffer> {
  const { tenant, destinations, passed = [], groups, items } = batch;
  const texts = [tenant, ...destinations, ...passed.map((id) => PASSED_MARK + id)];
  const groupBytes = groups.reduce((sum, group) => sum + groupHeadBytes(group) + groupPayloadBytes(group), 0);
  const itemBytes = items.reduce((sum, { bytes }) => sum + ITEM_BYTES + bytes.length, 0);
  const buffer = allocate(headroomBytes + LENGTH_BYTES + textBytes(texts) + COUNTS_BYTES + groupBytes + itemBytes);
  let at = buffer.writeUInt32LE(texts.length, headroomBytes);
  for (const text of texts) {
    at = buffer.writeUInt32LE(Buffer.byteLength(text), at);
    at += buffer.write(text, at);
  }
  at = buffer.writeUInt32LE(groups.length, at);
  at = buffer.writeUInt32LE(items.length, at);
  for (const group of groups) at = writeGroup(buffer, at, group);
  for (const item of items) at = writeItem(buffer, at, item, firstId);
  for (const { bytes, unknown } of groups) {
    at = writeBytes(buffer, at, bytes);
    if (unknown !== undefined) at = writeBytes(buffer, writeBytes(buffer, at, unknown.group), unknown.request);
  }
  for (const { bytes } of items) at = writeBytes(buffer, at, bytes);
  return buffer;
}

function groupHeadBytes({ schemaUrl, unknown }: BatchGroup): number {
  return GROUP_BYTES + (unknown === undefined ? 0 : UNKNOWN_BYTES) + Buffer.byteLength(schemaUrl);
}

/** Bytes of a resource or scope with its schema URL and what came around it. */
export function bytesOfGroup(group: BatchGroup): number {
  return Buffer.byteLength(group.schemaUrl) + groupPayloadBytes(group);
}

function groupPayloadBytes({ bytes, unknown }: BatchGroup): number {
  return bytes.length + (unknown === undefined ? 0 : unknown.group.length + unknown.request.length);
}

function writeGroup(buffer: Buffer, start: number, { format, schemaUrl, bytes, unknown }: BatchGroup): number {
  let at = buffer.writeUInt8(FORMATS.indexOf(format) | (unknown === undefined ? 0 : HAS_UNKNOWN), start);
  at = buffer.writeUInt32LE(Buffer.byteLength(schemaUrl), at);
  at = buffer.writeUInt32LE(bytes.length, at);
  if (unknown !== undefined) {
    at = buffer.writeUInt32LE(unknown.group.length, at);
    at = buffer.writeUInt32LE(unknown.request.length, at);
  }
  return at + buffer.write(schemaUrl, at);
}

function writeBytes(buffer: Buffer, at: number, bytes: Uint8Array): number {
  buffer.set(bytes, at);
  return at + bytes.length;
}

function writeItem(buffer: Buffer, start: number, item: BatchItem, firstId: number): number {
  const distance = item.id - firstId;
  let at = buffer.writeUInt32LE(distance % WORD, start);
  at = buffer.writeUInt32LE(Math.floor(distance / WORD), at);
  buffer.fill(0, at, at + IDS_BYTES);
  writeHex(buffer, at, item.traceId);
  writeHex(buffer, at + TRACE_ID_BYTES, item.spanId);
  time.setBigInt64(0, item.timeNs, true);
  at += IDS_BYTES;
  for (let index = 0; index < TIME_BYTES; index += 1) buffer[at + index] = time.getUint8(index);
  at = buffer.writeUInt8(item.signal, at + TIME_BYTES);
  at = buffer.writeUInt8(FORMATS.indexOf(item.format), at);
  at = buffer.writeUInt8(item.rank, at);
  at = buffer.writeUInt8((item.traceId === '' ? 0 : HAS_TRACE) | (item.spanId === '' ? 0 : HAS_SPAN), at);
  at = buffer.writeUInt32LE(item.resource, at);
  at = buffer.writeUInt32LE(item.scope, at);
  return buffer.writeUInt32LE(item.bytes.length, at);
}

/** Reads a batch; its bytes are views of `buffer`. Throws ReenactError `store-failed` when it is damaged. */
export function decodeBatch(buffer: Buffer, firstId: number): Batch {
  try {
    return readBatch(buffer, firstId);
  } catch (thrown) {
    throw damagedTelemetry({ cause: thrown });
  }
}

function readBatch(buffer: Buffer, firstId: number): Batch {
  let at = LENGTH_BYTES;
  const texts: string[] = [];
  for (let left = buffer.readUInt32LE(0); left > 0; left -= 1) {
    const bytes = buffer.readUInt32LE(at);
    texts.push(buffer.toString('utf8', at + LENGTH_BYTES, at + LENGTH_BYTES + bytes));
    at += LENGTH_BYTES + bytes;
  }
  const groupCount = buffer.readUInt32LE(at);
  const itemCount = buffer.readUInt32LE(at + 4);
  at += COUNTS_BYTES;
  const heads: GroupHead[] = [];
  for (let index = 0; index < groupCount; index += 1) {
    const { head, end } = readGroupHead(buffer, at);
    heads.push(head);
    at = end;
  }
  let payload = at + itemCount * ITEM_BYTES;
  const take = (bytes: number): Buffer => {
    const part = buffer.subarray(payload, payload + bytes);
    payload += bytes;
    if (part.length === bytes) return part;
    throw new ReenactError('store-failed', 'A batch is shorter than it says.');
  };
  const groups = heads.map(({ format, schemaUrl, bytes, unknown }) => {
    const group = { format, schemaUrl, bytes: take(bytes) };
    if (unknown === undefined) return group;
    return { ...group, unknown: { group: take(unknown.group), request: take(unknown.request) } };
  });
  const items: BatchItem[] = [];
  for (let index = 0; index < itemCount; index += 1)
    items.push(readItem(buffer, at + index * ITEM_BYTES, firstId, take, items[index - 1]));
  const [tenant = '', ...others] = texts;
  const destinations = others.filter((text) => !text.startsWith(PASSED_MARK));
  const passed = others.filter((text) => text.startsWith(PASSED_MARK)).map((text) => text.slice(PASSED_MARK.length));
  return { tenant, destinations, ...(passed.length === 0 ? {} : { passed }), groups, items };
}

interface GroupHead {
  readonly format: SliceFormat;
  readonly schemaUrl: string;
  readonly bytes: number;
  readonly unknown: { readonly group: number; readonly request: number } | undefined;
}

function readGroupHead(buffer: Buffer, at: number): { head: GroupHead; end: number } {
  const flags = buffer.readUInt8(at);
  const hasUnknown = (flags & HAS_UNKNOWN) !== 0;
  const [urlBytes, bytes] = [buffer.readUInt32LE(at + 1), buffer.readUInt32LE(at + 5)];
  const unknown = hasUnknown
    ? { group: buffer.readUInt32LE(at + GROUP_BYTES), request: buffer.readUInt32LE(at + GROUP_BYTES + 4) }
    : undefined;
  const url = at + GROUP_BYTES + (hasUnknown ? UNKNOWN_BYTES : 0);
  const schemaUrl = buffer.toString('utf8', url, url + urlBytes);
  return { head: { format: toFormat(flags & ~HAS_UNKNOWN), schemaUrl, bytes, unknown }, end: url + urlBytes };
}

function readItem(
  buffer: Buffer,
  at: number,
  firstId: number,
  take: (bytes: number) => Buffer,
  before: BatchItem | undefined,
): BatchItem {
  const flags = buffer.readUInt8(at + 43);
  for (let index = 0; index < TIME_BYTES; index += 1) time.setUint8(index, buffer[at + 32 + index] ?? 0);
  return {
    id: firstId + buffer.readUInt32LE(at) + buffer.readUInt32LE(at + 4) * WORD,
    traceId: (flags & HAS_TRACE) === 0 ? '' : readTraceId(buffer, at + 8, before),
    spanId: (flags & HAS_SPAN) === 0 ? '' : buffer.toString('hex', at + 24, at + 32),
    timeNs: time.getBigInt64(0, true),
    signal: toSignal(buffer.readUInt8(at + 40)),
    format: toFormat(buffer.readUInt8(at + 41)),
    rank: buffer.readUInt8(at + 42),
    resource: buffer.readUInt32LE(at + 44),
    scope: buffer.readUInt32LE(at + 48),
    bytes: take(buffer.readUInt32LE(at + 52)),
  };
}

/** Neighbours mostly share a trace, and then a text, which is made and hashed once. */
function readTraceId(buffer: Buffer, at: number, before: BatchItem | undefined): string {
  if (before === undefined || before.traceId === '') return buffer.toString('hex', at, at + TRACE_ID_BYTES);
  for (let index = at; index < at + TRACE_ID_BYTES; index += 1) {
    if (buffer[index] !== buffer[index - ITEM_BYTES]) return buffer.toString('hex', at, at + TRACE_ID_BYTES);
  }
  return before.traceId;
}

function toFormat(value: number): SliceFormat {
  return value === 1 ? 'json' : 'protobuf';
}

function toSignal(value: number): SignalNumber {
  if (value === 0 || value === 1 || value === 2) return value;
  throw new ReenactError('store-failed', `There is no signal ${value}.`);
}

/** A batch of only these items, with only the groups they need. */
export function selectItems(batch: Batch, items: readonly BatchItem[]): Batch {
  const merger = new BatchMerger(batch.tenant);
  for (const item of items) merger.add(batch, item);
  const { destinations, passed } = batch;
  return { ...merger.finish(), destinations, ...(passed === undefined ? {} : { passed }) };
}

/** Gathers items of several batches of one tenant into one, each resource and scope once. */
export class BatchMerger {
  private readonly tenant: string;
  private readonly groups: BatchGroup[] = [];
  private readonly items: BatchItem[] = [];
  private readonly positions = new Map<string, number>();
  private readonly known = new Map<BatchGroup, number>();

  constructor(tenant: string) {
    this.tenant = tenant;
  }

  /** Adds one item of a batch. */
  add({ groups }: Batch, item: BatchItem): void {
    this.items.push({
      ...item,
      resource: this.position(groups[item.resource]),
      scope: this.position(groups[item.scope]),
    });
  }

  /** Everything added, in the order of receipt. */
  finish(): Batch {
    this.items.sort((left, right) => left.id - right.id);
    return { tenant: this.tenant, destinations: [], groups: this.groups, items: this.items };
  }

  private position(group: BatchGroup | undefined): number {
    if (group === undefined)
      throw new ReenactError('store-failed', 'An item names a resource or scope that is not there.');
    const known = this.known.get(group);
    if (known !== undefined) return known;
    const key = identifyGroup(group);
    const position = this.positions.get(key) ?? this.groups.push(group) - 1;
    this.positions.set(key, position);
    this.known.set(group, position);
    return position;
  }
}
