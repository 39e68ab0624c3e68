import type { LogSlice, SliceFormat, SpanSlice, UnknownFields } from '@reenact/otlp';
import type {
  Circumstance,
  DriftAnswer,
  DriftQuery,
  ModelUsage,
  RunFacet,
  RunFilters,
  RunQuery,
  RunSummary,
  TextPart,
} from '@reenact/trace-model/collector-api';

/** What a backend can do beyond the contract; the conformance suite checks what is declared. */
export interface StoreCapabilities {
  readonly backend: string;
  /** An append resolves only when its content survives a crash of the process and of the machine. */
  readonly isDurable: boolean;
  /** Items come back byte for byte. */
  readonly keepsBytes: boolean;
  /** What every step of a conversation repeats is stored about once, after settling. */
  readonly storesConversationsOnce: boolean;
  /** Deleted traces leave the disk, also where they are compressed together with others. */
  readonly erasesBytes: boolean;
  /** A copy can be made while it runs. */
  readonly backsUpWhileRunning: boolean;
  /** Runs are found by words of their content. */
  readonly findsText: boolean;
}

/** What another thread of this process needs to read a store by itself; see `ThreadReader`. */
export interface ThreadAccess {
  readonly dataDirectory: string;
  /** Which part of their usual size its caches have; 1 where nothing is said. */
  readonly memoryShare?: number;
}

/** How long runs stay, counted from the last receipt of one of their spans. */
export interface RetentionPolicy {
  /**
   * By which the age of a run is told where the clock of its receipt was set since; without, by the time that the pass is made at. Asked for
   * each step: a clock may be set during a pass, too.
   */
  readonly ages?: () => RetentionAges;
  /** Nothing younger is ever thinned, whatever the other limits say. */
  readonly graceMs: number;
  /** Ordinary runs go after this. */
  readonly ordinaryMs: number;
  /** Runs that failed, disagree with themselves, or are kept go after this. */
  readonly specialMs: number;
  /** Size on disk to stay below, as far as the grace window allows; ordinary runs go first, kept ones last. */
  readonly bytesMax: number;
  /** Told of each kept run that goes for `bytesMax`. */
  readonly onKeptGone?: (run: KeptRun) => void;
  /** Told of each pass that was not stopped by how many bytes the store is larger than `bytesMax` though nothing is left that may go; else 0. */
  readonly onExcess?: (bytes: number) => void;
  /** Ends the pass behind the step in work: what is left goes with the next. */
  readonly signal?: AbortSignal;
}

/** From and to when, by its own time, something received is to be taken for later by how much; by less than nothing, for earlier. */
export interface ReceiptCorrection {
  readonly fromMs: number;
  readonly toMs: number;
  readonly byMs: number;
}

/** By which the age of a run is told. */
export interface RetentionAges {
  readonly nowMs: number;
  /** The first that a receipt lies within holds for it. */
  readonly corrections: readonly ReceiptCorrection[];
  /** What was received before counts as received then. */
  readonly receivedAtLeastMs?: number;
}

/** A run that somebody wanted to be kept, with why. */
export interface KeptRun {
  readonly tenant: string;
  readonly traceId: string;
  readonly reason: string;
}

/** A trace by its tenant and id. */
export type TraceName = readonly [tenant: string, traceId: string];

/** Where items are queued to be sent on to, by destination name. */
export type Destinations = readonly string[];

/** The collectors an item has passed on its way here, by their ids, the oldest first. */
export type PassedCollectors = readonly string[];

/** What became of the items of one append. */
export interface AppendResult {
  readonly stored: number;
  /** Items that were there already, byte for byte. */
  readonly deduplicated: number;
  /** Of the stored spans, those that joined another version with the same ids. */
  readonly versions: number;
  /** How many requests of metrics that had waited longest were let go of, because too many wait; absent where none. */
  readonly metricsGone?: number;
}

/** A resource or scope as stored. Equal ids mean the same stored bytes. */
export interface StoredGroup {
  readonly id: string;
  readonly format: SliceFormat;
  /** Empty when none was sent. */
  readonly bytes: Uint8Array;
  readonly schemaUrl: string;
  /** What came around it and OTLP does not know; absent when nothing did. */
  readonly unknown?: UnknownFields;
}

/** One span or log record as stored. */
export interface StoredItem {
  readonly format: SliceFormat;
  readonly bytes: Uint8Array;
  readonly resource: StoredGroup;
  readonly scope: StoredGroup;
}

/** The best version of one span. */
export interface StoredSpan extends StoredItem {
  readonly spanId: string;
  /** How many versions with different content are kept. */
  readonly versions: number;
}

/** The best version of one span, compared with the others. */
export interface ComparedSpan extends StoredSpan {
  /** Whether others disagree that have ended, too, and are as full: with their payloads, or of another SDK, which sends none. */
  readonly isConflicting: boolean;
}

/** Names the best version of one span, to be read later. */
export interface SpanReference {
  /** The store's own. */
  readonly id: number;
  readonly spanId: string;
  readonly versions: number;
}

/** A trace whose summary is older than its spans. */
export interface StaleTrace {
  readonly tenant: string;
  readonly traceId: string;
  /** Grows with each append; a summary is current when it was made from this revision. */
  readonly revision: number;
  /** Its newest change; grows over all traces. */
  readonly change: number;
}

/** What a list of runs can be filtered by, beside its summary. */
export type RunFacets = Partial<Readonly<Record<RunFacet, readonly string[]>>>;

/** What one crossing made of its input, as drift compares it. */
export interface Observation {
  readonly spanId: string;
  readonly kind: string;
  readonly name: string;
  readonly service: string;
  /** Digests of the canonical input and of the outcome, 16 bytes each. */
  readonly input: Uint8Array;
  readonly outcome: Uint8Array;
  readonly startNs: bigint;
  readonly circumstances: Partial<Readonly<Record<Circumstance, string>>>;
}

/** What was said in one part of one crossing. */
export interface CrossingText {
  readonly spanId: string;
  readonly part: TextPart;
  readonly text: string;
}

/** Texts of a run, ready to be kept and searched, in memory that moves to the store with them. */
export interface SearchableTexts {
  /** The texts, compressed. */
  readonly kept: Uint8Array<ArrayBuffer>;
  /** Their words in order, folded, in UTF-8. */
  readonly words: Uint8Array<ArrayBuffer>;
}

/** Everything that is known of a run beside its spans; made of them, and made again when they change. */
export interface SummarisedRun {
  readonly summary: RunSummary;
  readonly facets: RunFacets;
  /** None of replays and forks: what they were served is no news. */
  readonly observations: readonly Observation[];
  /** What can be searched; undefined where the run has no content. A store that keeps no text leaves it out. */
  readonly texts: SearchableTexts | undefined;
}

/** A summary and what it was made from. */
export interface SummarisedTrace {
  readonly trace: Pick<StaleTrace, 'tenant' | 'traceId' | 'revision'>;
  readonly run: SummarisedRun;
}

/** A run in the order in which summaries are written. */
export interface NumberedRun {
  /** Grows with every summary that is written of any run. */
  readonly number: number;
  readonly summary: RunSummary;
}

/** Tokens of all runs that were asked for. */
export interface UsageSums {
  readonly runs: number;
  readonly models: readonly ModelUsage[];
}

/** One page of runs; `next` continues after it and is absent on the last page. */
export interface RunPage {
  readonly runs: readonly RunSummary[];
  readonly next?: string;
}

/** What was made again of an index that was lost. */
export interface RebuiltIndex {
  /** Items that were queued again, by destination, whether they had been delivered or not. */
  readonly queuedAgain: Readonly<Record<string, number>>;
  /** Whether nothing said where the queues began, so that of what had left the log nothing is queued any more. */
  readonly areQueuesLost: boolean;
  /**
   * Whether frames are missing of chain or log: requests in the log and marks of kept runs that were in these are lost, and what came with
   * them counts as received now.
   */
  readonly areFramesMissing: boolean;
}

/** What a queued item is. */
export type QueuedSignal = 'traces' | 'logs' | 'metrics';

/** Items queued for one destination, oldest first, all of one signal and of one way. Metrics come one request at a time. */
export interface QueuedBatch {
  readonly signal: QueuedSignal;
  readonly passed: PassedCollectors;
  readonly entries: readonly { readonly queueId: number; readonly item: StoredItem | undefined }[];
  /** Where the store is damaged, where that is so of all of these: they can be given up, and nothing else. */
  readonly damage?: string | undefined;
}

/** A metrics request as received; the store keeps it only until every destination has it. */
export interface MetricsRequest {
  readonly format: SliceFormat;
  readonly bytes: Uint8Array;
}

/** Where log records were found. */
export interface FoundLogs {
  readonly traceIds: readonly string[];
  /** Those that name no trace, by ids of the store's own, which are never given again. */
  readonly records: readonly number[];
  /** Traces of which some cannot be read, and none of the others was sought. */
  readonly unreadTraceIds: readonly string[];
  /** Days of receipt, as 2026-11-28, of records that name no trace and cannot be read. */
  readonly unreadDays: readonly string[];
}

/** How much a store holds. Counters start with the process. */
export interface StoreStats {
  readonly spans: number;
  readonly traces: number;
  readonly logRecords: number;
  /** Size on disk. */
  readonly bytes: number;
  /** What the disk has left. */
  readonly diskFreeBytes: number;
  readonly commits: number;
  /** Appends made durable by those commits. */
  readonly appends: number;
  readonly lastCommitMs: number;
  /** When something of a trace that is stored was received last, Unix milliseconds; absent where none is. */
  readonly lastReceiptMs?: number;
  /** The time by which runs were thinned out last, Unix milliseconds; absent where they never were. */
  readonly lastExpireMs?: number;
  readonly coldTraces: number;
  /** How many traces are cold for each cause; one that is cold for two counts for both. */
  readonly coldByCause: Readonly<Record<string, number>>;
  /** Bytes of the log that are not settled yet; 0 where nothing is settled. */
  readonly unsettledBytes: number;
  /** Files that were compressed in a hurry under load and wait for idle time to be compressed better; 0 where nothing is. */
  readonly hurriedPacks: number;
  /** Why work in the background fails at the moment; absent while it succeeds. */
  readonly backgroundError?: string;
  /** Why appends are refused at the moment; absent while they are taken. */
  readonly refusal?: string;
}

/**
 * Where the collector keeps what it acknowledged. Receivers, queries and forwarders see only this.
 *
 * - An append is all or nothing, and resolves only when it is durable (if the backend declares so). A rejected append
 *   left nothing behind; its ReenactError is retryable.
 * - Identity of a span is (tenant, trace id, span id) and of its content a digest: the same content again changes
 *   nothing, other content is one more version. Log records are equal when all of their bytes and groups are.
 * - Queue entries are written together with the items they name.
 * - Reads see every append that has resolved. They throw ReenactError `store-failed` when the files are damaged.
 */
export interface Store {
  readonly capabilities: StoreCapabilities;
  readonly threadAccess: ThreadAccess;
  appendSpans(
    tenant: string,
    spans: readonly SpanSlice[],
    destinations: Destinations,
    passed?: PassedCollectors,
  ): Promise<AppendResult>;
  appendLogs(
    tenant: string,
    records: readonly LogSlice[],
    destinations: Destinations,
    passed?: PassedCollectors,
  ): Promise<AppendResult>;
  appendMetrics(
    tenant: string,
    request: MetricsRequest,
    destinations: Destinations,
    passed?: PassedCollectors,
  ): Promise<AppendResult>;

  /** The trace a span belongs to; of several, the one received last. */
  findTrace(tenant: string, spanId: string): Promise<string | undefined>;
  /**
   * The best version of every span of a trace, in start order: ended over pending, then full over slim, then an answer that is still read over one
   * that was left, then first received. Empty when the trace is unknown.
   */
  readTrace(tenant: string, traceId: string): Promise<readonly ComparedSpan[]>;
  /** What `readTrace` would give, without reading any of it, and so without comparing. */
  listSpans(tenant: string, traceId: string): Promise<readonly SpanReference[]>;
  /**
   * The first of these spans, as many as have no more than so many bytes together, at least one; with their resources it can be 16 times as
   * much, or more where one is as large as that. Throws ReenactError `not-found` where one has been deleted since it was listed.
   */
  readSpans(references: readonly SpanReference[], bytesMax: number): Promise<readonly StoredSpan[]>;
  /** The log records of a trace, in time order. */
  readLogs(tenant: string, traceId: string): Promise<readonly StoredItem[]>;

  /** Traces that have changed since they were summarised, by their newest change, those with one after `afterChange` only. */
  staleTraces(limit: number, afterChange?: number): Promise<readonly StaleTrace[]>;
  /** Traces of a tenant that have changed since they were summarised, those that changed last first. */
  newestStale(tenant: string, limit: number): Promise<readonly StaleTrace[]>;
  /** How many traces of a tenant have changed since they were summarised; a backend may stop counting at 100,000. */
  countStale(tenant: string): Promise<number>;
  /**
   * Keeps summaries made from those revisions, in order up to one that fails; the runs then can be listed and filtered. `isForDeletion`: a
   * deletion waits for them, so they may take the room that is left to those. One that comes out as it was keeps its number: there is nothing to tell.
   */
  writeSummaries(summaries: readonly SummarisedTrace[], isForDeletion?: boolean): Promise<void>;
  /**
   * Summarised runs, newest first. With `settledTo`, only those before the first that was there at this change and waits for its summary:
   * the next page begins there. Throws ReenactError `bad-request` when the cursor is not one of this store.
   */
  listRuns(tenant: string, query: RunQuery, limit: number, settledTo?: number): Promise<RunPage>;
  /**
   * Runs whose summaries were written after the one of this number, in that order. A summary has a number of its own each time that it is written, so that
   * whoever goes on after the last one passes over none; where all are made anew, as by another version, those of what has not changed keep theirs.
   */
  listSummarised(tenant: string, filters: RunFilters, after: number, limit: number): Promise<readonly NumberedRun[]>;
  /** The number after which no summary has been written yet. */
  lastSummary(): Promise<number>;
  /** The change after which nothing has changed yet. */
  lastChange(): Promise<number>;
  /** Sums the tokens of all runs that pass the filters. */
  sumUsage(tenant: string, filters: RunFilters): Promise<UsageSums>;
  /** Equal inputs with different outcomes, seen last first. Throws ReenactError `bad-request` for a cursor that is not one. */
  listDrift(tenant: string, query: DriftQuery, limit: number): Promise<DriftAnswer>;
  /** What can be searched of a run; empty where nothing is. */
  readTexts(tenant: string, traceId: string): Promise<readonly CrossingText[]>;

  /**
   * The oldest items queued for a destination, at least one; undefined when none is queued. They are about `bytesMax` bytes or fewer, more for the sake of a large resource that would else
   * come again, and at most `bytesLimit` unless one of them is larger by itself.
   */
  peekQueue(
    destination: string,
    itemsMax: number,
    bytesMax: number,
    bytesLimit?: number,
  ): Promise<QueuedBatch | undefined>;
  /** Forgets queue entries once they are delivered or given up. */
  settleQueue(queueIds: readonly number[]): Promise<void>;
  /** Forgets everything that is queued for a destination; resolves with how many entries that was. The items stay. */
  dropQueue(destination: string): Promise<number>;
  /** How many entries each destination has, also those that are no longer configured. */
  queueDepths(): Promise<ReadonlyMap<string, number>>;
  /**
   * When what waits longest for a destination was received, in milliseconds since 1970; undefined where nothing waits, where a version before December 2026
   * queued it, and where it was queued again with an index that was lost.
   */
  oldestQueuedMs(destination: string): Promise<number | undefined>;

  /**
   * Deletes traces; resolves with the number of items that were deleted, when their bytes have left the disk. A signal ends it behind the step in
   * work, as of the other deletions: it rejects with a retryable ReenactError, and the same call again deletes the rest.
   */
  erase(traces: readonly TraceName[], signal?: AbortSignal): Promise<number>;
  /** Deletes log records that name no trace, likewise: those of other ids that came the same day stay. */
  eraseRecords(records: FoundLogs['records'], signal?: AbortSignal): Promise<number>;
  /**
   * Looks through all log records of a tenant, some at a time, for those that are sought; a signal ends it early. Where one of a trace is, the
   * others of it are not looked at.
   */
  findLogs(
    tenant: string,
    holdsSought: (records: readonly StoredItem[]) => boolean,
    signal?: AbortSignal,
  ): Promise<FoundLogs>;
  /** Deletes every trace whose summary names this user; the summaries must be current. */
  eraseUser(tenant: string, user: string, signal?: AbortSignal): Promise<number>;
  /** Deletes everything of a tenant. */
  eraseTenant(tenant: string, signal?: AbortSignal): Promise<number>;
  /** Keeps a run beyond its time, saying why; without a reason it may go again. */
  keepRun(tenant: string, traceId: string, reason: string | undefined): Promise<void>;
  /** Thins out by this policy what is there at this time; resolves with the number of traces that went. */
  expire(policy: RetentionPolicy, nowMs: number): Promise<number>;
  /** Does what the backend otherwise does by itself in the background: settle, merge, rewrite, compress again. */
  settle(): Promise<void>;
  /**
   * Copies the store, as of a moment during the call, into a directory that must not exist yet. Throws ReenactError
   * `bad-argument` when it does.
   */
  backup(directory: string): Promise<void>;

  /** Throws ReenactError when the store cannot serve. */
  check(): Promise<void>;
  /** Throws what an append would throw now. */
  checkAppend(): Promise<void>;
  stats(): Promise<StoreStats>;
  /** Makes pending appends durable and lets go of the files. A second call changes nothing. */
  close(): Promise<void>;
}
