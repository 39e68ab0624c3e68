import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { METRICS_QUEUE_BYTES_MAX } from '../../limits.ts';
import { IndexState } from '../database/index-state.ts';
import { SIGNAL_NUMBERS } from '../database/schema.ts';
import { REMEMBERED_TRACES_MAX } from '../limits.ts';
import type { Batch, BatchItem } from '../log/batch.ts';
import { writeHex } from '../log/hex-bytes.ts';
import { DIGEST_BYTES } from '../log/item-digest.ts';
import type { AppendResult } from '../store.ts';
import { MetricsQueue } from './metrics-queue.ts';
import { rowKeyOf } from './row-key.ts';
import { SpanIndex } from './span-index.ts';

/** Bytes of a content digest that the index keeps: enough that two contents never share them by chance. */
const INDEX_DIGEST_BYTES = 16;

/** Rank of a log record that may tell what a model was asked and answered: its trace is then summarised again. */
export const LOG_RANK_CONTENT = 1;

const EMPTY = new Uint8Array(0);

/** What became of the items of one batch. */
export interface IndexedBatch {
  readonly result: AppendResult;
  /** The items that are new; the others were there already, byte for byte. */
  readonly stored: readonly BatchItem[];
}

type Writable<Value> = { -readonly [Key in keyof Value]: Value[Key] };

interface TouchedTrace {
  readonly trace: number;
  /** Span ids of a trace that this batch brought: nothing else can be in it yet. Undefined for a trace that was there. */
  readonly ownSpans: Set<string> | undefined;
  start: bigint;
  spans: number;
  changedBy: number;
}

/** Writes what the index knows of items; every method runs inside a transaction. */
export class ItemIndex {
  readonly state: IndexState;
  readonly spans: SpanIndex;
  private readonly insertItem: StatementSync;
  private readonly findSpan: StatementSync;
  private readonly findTrace: StatementSync;
  private readonly insertTrace: StatementSync;
  private readonly touchNewTrace: StatementSync;
  private readonly touchTrace: StatementSync;
  private readonly reviseTrace: StatementSync;
  private readonly noteReceipt: StatementSync;
  private readonly metrics: MetricsQueue;
  private readonly enqueue: StatementSync;
  private readonly remembered = new Map<string, number>();
  /** Of the item in work: SQLite copies what it is given, so that these are used again. */
  private readonly spanId = new Uint8Array(8);
  private readonly digest = new Uint8Array(INDEX_DIGEST_BYTES);

  constructor(database: DatabaseSync, metricsQueueBytesMax: number = METRICS_QUEUE_BYTES_MAX, spanBatchItems?: number) {
    this.state = new IndexState(database);
    this.spans = new SpanIndex(database, spanBatchItems);
    // Only the same content is known already: an id that is given a second time is a defect, and must not pass for a retry.
    this.insertItem = database.prepare(`
      INSERT INTO item (id, trace, signal, span_id, digest, time_ns, rank, block) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (trace, signal, span_id, digest) DO NOTHING`);
    this.findSpan = database.prepare('SELECT 1 FROM item WHERE trace = ? AND signal = 0 AND span_id = ? LIMIT 1');
    this.findTrace = database.prepare('SELECT id FROM trace WHERE tenant = ? AND trace_id = ?');
    this.insertTrace = database.prepare(`
      INSERT INTO trace (id, tenant, trace_id, revision, changed_by, start_ns, received_ms) VALUES (?, ?, ?, 0, 0, ?, ?)`);
    const touch = `
      UPDATE trace SET start_ns = CASE revision WHEN 0 THEN ? ELSE min(start_ns, ?) END, revision = revision + 1,
        changed_by = ?, received_ms = max(received_ms, ?) WHERE id = ?`;
    // What a statement returns, SQLite keeps in a table made for it: of a trace that is new the answer is known.
    this.touchNewTrace = database.prepare(touch);
    this.touchTrace = database.prepare(`${touch} RETURNING revision`);
    // A trace of which there are log records only is none yet: it has nothing to summarise.
    this.reviseTrace = database.prepare(`
      UPDATE trace SET revision = revision + 1, changed_by = ? WHERE id = ? AND revision > 0`);
    this.noteReceipt = database.prepare('UPDATE trace SET received_ms = max(received_ms, ?) WHERE id = ?');
    this.metrics = new MetricsQueue(database, metricsQueueBytesMax);
    this.enqueue = database.prepare(
      'INSERT INTO queue (destination, signal, item, passed, queued_ms) VALUES (?, ?, ?, ?, ?)',
    );
  }

  /** Forgets what a transaction that was rolled back had made. */
  forget(): void {
    this.metrics.forget();
    this.spans.forget();
    this.remembered.clear();
  }

  /** Adds the items of one batch; `block` 0 for what is in the log. */
  add(batch: Batch, digests: Buffer, receivedMs: number, block = 0): IndexedBatch {
    const result: Writable<AppendResult> = { stored: 0, deduplicated: 0, versions: 0 };
    if (batch.items[0]?.signal === SIGNAL_NUMBERS.metrics) return this.addMetrics(batch, receivedMs, result);
    const stored: BatchItem[] = [];
    const touched = new Map<string, TouchedTrace>();
    const logged = new Set<number>();
    let records = 0;
    for (const [position, item] of batch.items.entries()) {
      const from = position * DIGEST_BYTES;
      for (let index = 0; index < INDEX_DIGEST_BYTES; index += 1) this.digest[index] = digests[from + index] ?? 0;
      const outcome = this.addItem(batch, item, receivedMs, block, touched, logged);
      if (outcome === 'known') {
        result.deduplicated += 1;
        continue;
      }
      stored.push(item);
      result.stored += 1;
      if (item.signal !== SIGNAL_NUMBERS.traces) records += 1;
      if (outcome === 'version') result.versions += 1;
      this.queueItem(batch, item, receivedMs);
    }
    this.state.add('logRecords', records);
    this.touchAll([...touched.values()], receivedMs);
    for (const trace of logged) this.noteReceipt.run(receivedMs, trace);
    return { result, stored };
  }

  private addMetrics(batch: Batch, receivedMs: number, result: Writable<AppendResult>): IndexedBatch {
    const { items } = batch;
    let gone = 0;
    for (const item of items) {
      gone += this.metrics.add(item);
      this.queueItem(batch, item, receivedMs);
    }
    result.stored = items.length;
    if (gone > 0) result.metricsGone = gone;
    return { result, stored: items };
  }

  private queueItem({ destinations, passed = [] }: Batch, { signal, id }: BatchItem, receivedMs: number): void {
    for (const destination of destinations) this.enqueue.run(destination, signal, id, passed.join(','), receivedMs);
  }

  private addItem(
    { tenant }: Batch,
    item: BatchItem,
    receivedMs: number,
    block: number,
    touched: Map<string, TouchedTrace>,
    logged: Set<number>,
  ): 'new' | 'version' | 'known' {
    const known = touched.get(item.traceId);
    const entry = known ?? this.openTrace(tenant, item, receivedMs);
    const { trace } = entry;
    const spanId = item.spanId === '' ? EMPTY : this.spanId;
    writeHex(spanId, 0, item.spanId);
    const isSpan = item.signal === SIGNAL_NUMBERS.traces;
    const isVersion = isSpan && this.hasSpan(entry, item.spanId, spanId);
    const { id, signal, timeNs, rank } = item;
    const { changes } = this.insertItem.run(id, trace, signal, spanId, this.digest, timeNs, rank, block);
    if (changes === 0) return 'known';
    if (!isSpan) {
      logged.add(trace);
      if (item.rank === LOG_RANK_CONTENT) this.reviseTrace.run(item.id, trace);
      return 'new';
    }
    if (item.timeNs < entry.start) entry.start = item.timeNs;
    entry.ownSpans?.add(item.spanId);
    entry.spans += 1;
    entry.changedBy = item.id;
    if (known === undefined) touched.set(item.traceId, entry);
    return isVersion ? 'version' : 'new';
  }

  private openTrace(tenant: string, item: BatchItem, receivedMs: number): TouchedTrace {
    const { trace, isNew } = this.traceOf(tenant, item, receivedMs);
    const ownSpans = isNew ? new Set<string>() : undefined;
    return { trace, ownSpans, start: item.timeNs, spans: 0, changedBy: item.id };
  }

  private hasSpan({ trace, ownSpans }: TouchedTrace, id: string, bytes: Uint8Array): boolean {
    return ownSpans === undefined ? this.findSpan.get(trace, bytes) !== undefined : ownSpans.has(id);
  }

  private touchAll(traces: readonly TouchedTrace[], receivedMs: number): void {
    const begun = traces.filter((trace) => this.touch(trace, receivedMs));
    this.state.add('traces', begun.length);
    this.state.add(
      'spans',
      traces.reduce((sum, { spans }) => sum + spans, 0),
    );
  }

  /** Gives whether these are its first spans. */
  private touch({ trace, ownSpans, start, changedBy }: TouchedTrace, receivedMs: number): boolean {
    const values = [start, start, changedBy, receivedMs, trace] as const;
    if (ownSpans === undefined) return this.touchTrace.get(...values)?.revision === 1;
    this.touchNewTrace.run(...values);
    return true;
  }

  /** The row of an item's trace, made where needed. */
  private traceOf(tenant: string, item: BatchItem, receivedMs: number): { trace: number; isNew: boolean } {
    const rowKey = rowKeyOf(item.traceId, receivedMs);
    const key = `${rowKey} ${tenant}`;
    const known = this.remembered.get(key);
    if (known !== undefined) return { trace: known, isNew: false };
    const traceId = Buffer.from(rowKey, 'hex');
    const found = this.findTrace.get(tenant, traceId)?.id;
    // Items are numbered for good: what is kept elsewhere of a deleted trace is never taken for that of a new one.
    const trace = Number(found ?? item.id);
    if (found === undefined) this.insertTrace.run(trace, tenant, traceId, item.timeNs, receivedMs);
    if (this.remembered.size >= REMEMBERED_TRACES_MAX) this.remembered.clear();
    this.remembered.set(key, trace);
    return { trace, isNew: found === undefined };
  }
}
