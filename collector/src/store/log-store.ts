import type { LogSlice, SpanSlice } from '@reenact/otlp';
import type { DriftAnswer, DriftQuery, RunFilters, RunQuery } from '@reenact/trace-model/collector-api';
import { ReenactError } from '@reenact/trace-model/reenact-error';
import { ReusedMemory } from '../memory/reused-memory.ts';
import { Backups } from './backup.ts';
import type { DataDirectory } from './data-directory.ts';
import { leaveRoomToDelete } from './disk-spare.ts';
import { findLogs } from './find-logs.ts';
import { Leftovers, type TellLeftovers } from './leftovers.ts';
import { Maintenance } from './maintenance.ts';
import { Retention, type TellErased } from './retention.ts';
import type {
  AppendResult,
  ComparedSpan,
  CrossingText,
  Destinations,
  FoundLogs,
  MetricsRequest,
  NumberedRun,
  PassedCollectors,
  QueuedBatch,
  RetentionPolicy,
  RunPage,
  SpanReference,
  StaleTrace,
  Store,
  StoreCapabilities,
  StoredItem,
  StoredSpan,
  StoreStats,
  SummarisedTrace,
  ThreadAccess,
  TraceName,
  UsageSums,
} from './store.ts';
import { toStoreError } from './store-error.ts';
import type { StoreReader } from './store-reader.ts';
import type { TextKeeper } from './text-keeper.ts';
import { logsToFrame, metricsToFrame, spansToFrame } from './to-frame.ts';
import type { WriterLink } from './worker/calls.ts';

/** Who works on a data directory. */
export interface StoreThreads {
  readonly writer: WriterLink;
  readonly reader: StoreReader;
  readonly texts: TextKeeper;
}

/** What a store has in work when it is closed, in the order in which it ends. */
export type ClosingPart = 'backup' | 'settling' | 'text search' | 'writes';

/** Who is told of what a store does by itself. */
export interface StoreListeners {
  /** Told when settling begins to fail, with why, and when it goes on. */
  readonly onBackground?: (error: string | undefined) => void;
  readonly onLeftovers?: TellLeftovers;
  /** Told of what is deleted, by whomever. */
  readonly onErased?: TellErased;
  /** Told of each part that a close waits for, as it begins to. */
  readonly onClosing?: (part: ClosingPart) => void;
}

interface Needs extends StoreListeners {
  readonly access: ThreadAccess;
  readonly commitBacklogBytesMax: number;
}

/** A segment log, blocks and an index in one data directory (docs/adr/0020-log-and-blocks.md). Opened by `openStore`. */
export class LogStore implements Store {
  readonly capabilities: StoreCapabilities;
  readonly threadAccess: ThreadAccess;
  private readonly directory: DataDirectory;
  private readonly writer: WriterLink;
  private readonly reader: StoreReader;
  private readonly texts: TextKeeper;
  private readonly maintenance: Maintenance;
  private readonly retention: Retention;
  private readonly backups: Backups;
  private readonly backlogBytesMax: number;
  private readonly frameMemory: ReusedMemory;
  private readonly allocate = (bytes: number) => this.frameMemory.take(bytes);
  private readonly leftovers: Leftovers;
  private readonly tellClosing: NonNullable<StoreListeners['onClosing']>;
  private pendingBytes = 0;
  private closing: Promise<void> | undefined;

  constructor(
    directory: DataDirectory,
    { writer, reader, texts }: StoreThreads,
    { access, commitBacklogBytesMax, onBackground, onErased, onLeftovers, onClosing = () => undefined }: Needs,
  ) {
    this.capabilities = {
      backend: 'log',
      isDurable: true,
      keepsBytes: true,
      storesConversationsOnce: true,
      erasesBytes: true,
      backsUpWhileRunning: true,
      findsText: reader.keepsText,
    };
    this.threadAccess = access;
    this.frameMemory = new ReusedMemory(access.memoryShare);
    this.directory = directory;
    this.backlogBytesMax = commitBacklogBytesMax;
    this.writer = writer;
    this.reader = reader;
    this.texts = texts;
    this.backups = new Backups(this.threadAccess, reader.keepsText);
    this.maintenance = new Maintenance(this.threadAccess, { writer, reader, texts, onBackground });
    this.retention = new Retention({ writer, reader, texts, onErased }, this.maintenance, directory.path);
    this.tellClosing = onClosing;
    this.leftovers = new Leftovers({ texts, reader, retention: this.retention, onLeftovers });
  }

  async appendSpans(
    tenant: string,
    spans: readonly SpanSlice[],
    destinations: Destinations,
    passed: PassedCollectors = [],
  ): Promise<AppendResult> {
    if (spans.some(hasUnknown)) this.directory.raiseVersion();
    return this.append(this.encode(() => spansToFrame(tenant, spans, { destinations, passed }, this.allocate)));
  }

  async appendLogs(
    tenant: string,
    records: readonly LogSlice[],
    destinations: Destinations,
    passed: PassedCollectors = [],
  ): Promise<AppendResult> {
    if (records.some(hasUnknown)) this.directory.raiseVersion();
    return this.append(this.encode(() => logsToFrame(tenant, records, { destinations, passed }, this.allocate)));
  }

  async appendMetrics(
    tenant: string,
    request: MetricsRequest,
    destinations: Destinations,
    passed: PassedCollectors = [],
  ): Promise<AppendResult> {
    if (destinations.length === 0) return { stored: 0, deduplicated: 0, versions: 0 };
    return this.append(this.encode(() => metricsToFrame(tenant, request, { destinations, passed }, this.allocate)));
  }

  async findTrace(tenant: string, spanId: string): Promise<string | undefined> {
    return this.reader.read(() => this.reader.items.findTrace(tenant, spanId));
  }

  async readTrace(tenant: string, traceId: string): Promise<readonly ComparedSpan[]> {
    return this.reader.read(() => this.reader.items.readTrace(tenant, traceId));
  }

  async listSpans(tenant: string, traceId: string): Promise<readonly SpanReference[]> {
    return this.reader.read(() => this.reader.items.listSpans(tenant, traceId));
  }

  async readSpans(references: readonly SpanReference[], bytesMax: number): Promise<readonly StoredSpan[]> {
    return this.reader.read(() => this.reader.items.readSpans(references, bytesMax));
  }

  async readLogs(tenant: string, traceId: string): Promise<readonly StoredItem[]> {
    return this.reader.read(() => this.reader.items.readLogs(tenant, traceId));
  }

  async staleTraces(limit: number, afterChange = -1): Promise<readonly StaleTrace[]> {
    return this.reader.read(() => this.reader.runs.stale(limit, afterChange));
  }

  async newestStale(tenant: string, limit: number): Promise<readonly StaleTrace[]> {
    return this.reader.read(() => this.reader.runs.newestStale(tenant, limit));
  }

  async countStale(tenant: string): Promise<number> {
    return this.reader.read(() => this.reader.runs.countStale(tenant));
  }

  async writeSummaries(summaries: readonly SummarisedTrace[], isForDeletion = false): Promise<void> {
    if (summaries.length === 0) return;
    if (!isForDeletion) leaveRoomToDelete(this.directory.path);
    await this.writer.call('writeSummaries', await this.texts.keep(summaries));
    this.maintenance.noteSummaries(summaries.length);
  }

  async listRuns(tenant: string, query: RunQuery, limit: number, settledTo?: number): Promise<RunPage> {
    this.refuseText(query);
    return this.reader.read(() => this.reader.runs.list(tenant, query, limit, settledTo));
  }

  async listSummarised(
    tenant: string,
    filters: RunFilters,
    after: number,
    limit: number,
  ): Promise<readonly NumberedRun[]> {
    this.refuseText(filters);
    return this.reader.read(() => this.reader.runs.summarised(tenant, filters, after, limit));
  }

  async lastSummary(): Promise<number> {
    return this.reader.read(() => this.reader.runs.lastSummary());
  }

  async lastChange(): Promise<number> {
    return this.reader.read(() => this.reader.runs.lastChange());
  }

  async sumUsage(tenant: string, filters: RunFilters): Promise<UsageSums> {
    this.refuseText(filters);
    return this.reader.read(() => this.reader.runs.sumUsage(tenant, filters));
  }

  async listDrift(tenant: string, query: DriftQuery, limit: number): Promise<DriftAnswer> {
    return this.reader.read(() => this.reader.drift.list(tenant, query, limit));
  }

  async readTexts(tenant: string, traceId: string): Promise<readonly CrossingText[]> {
    return this.reader.read(() => this.reader.runs.texts(tenant, traceId));
  }

  async peekQueue(
    destination: string,
    itemsMax: number,
    bytesMax: number,
    bytesLimit = Number.POSITIVE_INFINITY,
  ): Promise<QueuedBatch | undefined> {
    return this.reader.read(() => this.reader.queue.peek(destination, itemsMax, bytesMax, bytesLimit));
  }

  async settleQueue(queueIds: readonly number[]): Promise<void> {
    await this.writer.call('settleQueue', queueIds);
  }

  async dropQueue(destination: string): Promise<number> {
    let dropped = 0;
    for (let step = -1; step !== 0; dropped += step) step = await this.writer.call('dropQueue', destination);
    return dropped;
  }

  async queueDepths(): Promise<ReadonlyMap<string, number>> {
    return this.reader.read(() => this.reader.queue.depths());
  }

  async oldestQueuedMs(destination: string): Promise<number | undefined> {
    return this.reader.read(() => this.reader.queue.oldestQueuedMs(destination));
  }

  async erase(traces: readonly TraceName[], signal?: AbortSignal): Promise<number> {
    return this.leftovers.apart(() => this.retention.erase(traces, signal));
  }

  async eraseRecords(records: FoundLogs['records'], signal?: AbortSignal): Promise<number> {
    return this.leftovers.apart(() => this.retention.eraseRecords(records, signal));
  }

  findLogs(
    tenant: string,
    holdsSought: (records: readonly StoredItem[]) => boolean,
    signal?: AbortSignal,
  ): Promise<FoundLogs> {
    return findLogs(this.reader, tenant, holdsSought, signal);
  }

  async eraseUser(tenant: string, user: string, signal?: AbortSignal): Promise<number> {
    return this.leftovers.apart(() => {
      const traces = this.reader.read(() => this.reader.runs.tracesOfUser(tenant, user));
      const names = traces.map((traceId): TraceName => [tenant, traceId]);
      return this.retention.erase(names, signal);
    });
  }

  async eraseTenant(tenant: string, signal?: AbortSignal): Promise<number> {
    return this.leftovers.apart(() => this.retention.eraseTenant(tenant, signal));
  }

  async keepRun(tenant: string, traceId: string, reason: string | undefined): Promise<void> {
    await this.writer.call('control', { type: 'keep', tenant, traceId, reason: reason ?? null });
  }

  expire(policy: RetentionPolicy, nowMs: number): Promise<number> {
    return this.retention.expire(policy, nowMs);
  }

  async settle(): Promise<void> {
    await this.maintenance.settle('everything');
    await this.maintenance.compressAllAgain();
  }

  backup(directory: string): Promise<void> {
    return this.maintenance.hold(() => this.backups.write(directory));
  }

  async check(): Promise<void> {
    if (this.closing !== undefined) throw closedStore();
    // The index goes on to be read where it was opened, and what it leads to cannot.
    await this.writer.call('checkPlace', null);
    this.reader.read(() => this.reader.database.prepare('SELECT 1 FROM state').get());
    await this.writer.call('settleQueue', []);
  }

  async checkAppend(): Promise<void> {
    if (this.closing !== undefined) throw closedStore();
    await this.writer.call('probe', null);
  }

  async stats(): Promise<StoreStats> {
    const { commits = 0, appends = 0, lastCommitMs = 0, refusal } = this.writer.facts ?? {};
    const lastError = this.maintenance.lastError ?? this.leftovers.lastError;
    return {
      ...this.reader.read(() => this.reader.figures()),
      commits,
      appends,
      lastCommitMs,
      ...(lastError === undefined ? {} : { backgroundError: lastError }),
      ...(refusal === undefined ? {} : { refusal }),
    };
  }

  close(): Promise<void> {
    this.closing ??= this.shut();
    return this.closing;
  }

  private async shut(): Promise<void> {
    // First of all: what the parts end below would look like its end.
    const leftovers = this.leftovers.stop();
    this.tellClosing('backup');
    await this.backups.stop();
    this.tellClosing('settling');
    await this.maintenance.stop();
    this.tellClosing('text search');
    await this.texts.stop();
    this.tellClosing('writes');
    await leftovers;
    await this.writer.call('close', null).catch(() => undefined);
    try {
      this.reader.close();
    } finally {
      await this.writer.stop();
      this.directory.release();
    }
  }

  private refuseText({ text }: RunFilters): void {
    if (text === undefined || this.capabilities.findsText) return;
    throw new ReenactError('bad-request', 'This collector keeps no text to search in.', {
      where: 'text',
      next: 'Set search.isOn in its configuration; what is stored is then made searchable in the background.',
    });
  }

  /** Takes a frame and not what it is made of, which would be kept until the answer. */
  private async append(frame: Buffer<ArrayBuffer>): Promise<AppendResult> {
    const bytes = frame.length;
    if (this.pendingBytes > 0 && this.pendingBytes + bytes > this.backlogBytesMax) {
      const next = 'Retry; exporters do so by themselves.';
      throw new ReenactError('store-busy', 'Too much waits to be written.', { next, retryable: true });
    }
    this.pendingBytes += bytes;
    try {
      // The memory moves to the writer and comes back with its answer, for the next frame.
      const { result, memory } = await this.writer.call('append', frame, [frame.buffer]);
      this.frameMemory.give(memory);
      return result;
    } finally {
      this.pendingBytes -= bytes;
      this.maintenance.note(bytes);
    }
  }

  private encode(encode: () => Buffer<ArrayBuffer>): Buffer<ArrayBuffer> {
    if (this.closing !== undefined) throw closedStore();
    try {
      return encode();
    } catch (thrown) {
      throw toStoreError(thrown, this.directory.path);
    }
  }
}

/** Whether it came with fields that OTLP does not know, for which format version 2 had no place. */
function hasUnknown({ resource, scope }: SpanSlice | LogSlice): boolean {
  return resource.unknown !== undefined || scope.unknown !== undefined;
}

function closedStore(): ReenactError {
  return new ReenactError('store-failed', 'The store is closed.', {
    next: 'Start the collector again.',
    retryable: true,
  });
}
