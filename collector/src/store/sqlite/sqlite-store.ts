import type { DatabaseSync } from 'node:sqlite';
import type { LogSlice, SpanSlice } from '@reenact/otlp';
import type { RunQuery, RunSummary } from '@reenact/trace-model/collector-api';
import type {
  AppendResult,
  Destinations,
  MetricsRequest,
  QueuedBatch,
  RunFacets,
  RunPage,
  StaleTrace,
  Store,
  StoreCapabilities,
  StoredItem,
  StoredSpan,
  StoreStats,
} from '../store.ts';
import { ForwardQueue } from './forward-queue.ts';
import { GroupCommit } from './group-commit.ts';
import { ItemReader } from './item-reader.ts';
import { ItemWriter } from './item-writer.ts';
import { openDatabase } from './open-database.ts';
import { RunIndex } from './run-index.ts';
import { toStoreError } from './store-error.ts';

/** Everything in one SQLite file (docs/adr/0005-collector-store-sqlite.md). */
class SqliteStore implements Store {
  readonly capabilities: StoreCapabilities = { backend: 'sqlite', isDurable: true, keepsBytes: true };
  private readonly database: DatabaseSync;
  private readonly directory: string;
  private readonly commit: GroupCommit;
  private readonly writer: ItemWriter;
  private readonly reader: ItemReader;
  private readonly runs: RunIndex;
  private readonly queue: ForwardQueue;

  constructor(database: DatabaseSync, directory: string) {
    this.database = database;
    this.directory = directory;
    this.writer = new ItemWriter(database);
    this.reader = new ItemReader(database);
    this.runs = new RunIndex(database);
    this.queue = new ForwardQueue(database, this.reader);
    this.commit = new GroupCommit(database, directory, () => this.writer.parts.forget());
  }

  appendSpans(tenant: string, spans: readonly SpanSlice[], destinations: Destinations): Promise<AppendResult> {
    const bytes = spans.reduce((sum, span) => sum + span.bytes.length, 0);
    return this.commit.run(bytes, () => this.writer.writeSpans(tenant, spans, destinations));
  }

  appendLogs(tenant: string, records: readonly LogSlice[], destinations: Destinations): Promise<AppendResult> {
    const bytes = records.reduce((sum, record) => sum + record.bytes.length, 0);
    return this.commit.run(bytes, () => this.writer.writeLogs(tenant, records, destinations));
  }

  appendMetrics(_tenant: string, request: MetricsRequest, destinations: Destinations): Promise<void> {
    return this.commit.run(request.bytes.length, () => this.writer.writeMetrics(request, destinations));
  }

  findTrace(tenant: string, spanId: string): Promise<string | undefined> {
    return this.read(() => this.reader.findTrace(tenant, spanId));
  }

  readTrace(tenant: string, traceId: string): Promise<readonly StoredSpan[]> {
    return this.read(() => this.reader.readTrace(tenant, traceId));
  }

  readLogs(tenant: string, traceId: string): Promise<readonly StoredItem[]> {
    return this.read(() => this.reader.readLogs(tenant, traceId));
  }

  staleTraces(limit: number): Promise<readonly StaleTrace[]> {
    return this.read(() => this.runs.stale(limit));
  }

  writeSummary(trace: StaleTrace, summary: RunSummary, facets: RunFacets): Promise<void> {
    return this.commit.run(0, () => this.runs.write(trace, summary, facets));
  }

  listRuns(tenant: string, query: RunQuery, limit: number): Promise<RunPage> {
    return this.read(() => this.runs.list(tenant, query, limit));
  }

  peekQueue(destination: string, itemsMax: number, bytesMax: number): Promise<QueuedBatch | undefined> {
    return this.read(() => this.queue.peek(destination, itemsMax, bytesMax));
  }

  settleQueue(queueIds: readonly number[]): Promise<void> {
    return this.commit.run(0, () => this.queue.settle(queueIds));
  }

  queueDepths(): Promise<ReadonlyMap<string, number>> {
    return this.read(() => this.queue.depths());
  }

  async check(): Promise<void> {
    await this.read(() => this.database.prepare('SELECT version FROM format_version').get());
  }

  stats(): Promise<StoreStats> {
    return this.read(() => {
      const row = this.database
        .prepare(`
          SELECT (SELECT count(*) FROM span) AS spans, (SELECT count(*) FROM trace) AS traces,
            (SELECT count(*) FROM log_record) AS log_records,
            (SELECT count(*) FROM trace WHERE verdict = 'cold') AS cold_traces,
            (SELECT page_count * page_size FROM pragma_page_count, pragma_page_size) AS bytes`)
        .get();
      const { commits, appends, lastCommitMs } = this.commit;
      return {
        spans: Number(row?.spans),
        traces: Number(row?.traces),
        logRecords: Number(row?.log_records),
        bytes: Number(row?.bytes),
        commits,
        appends,
        lastCommitMs,
        coldTraces: Number(row?.cold_traces),
      };
    });
  }

  async close(): Promise<void> {
    if (!this.database.isOpen) return;
    this.commit.flush();
    this.database.close();
  }

  private async read<Result>(query: () => Result): Promise<Result> {
    try {
      return query();
    } catch (thrown) {
      throw toStoreError(thrown, this.directory);
    }
  }
}

/**
 * Opens the store in a data directory, making it where needed. Throws ReenactError `store-failed` when it cannot be
 * used, `unsupported` when a newer version of Reenact wrote it.
 */
export function openSqliteStore(dataDirectory: string): Store {
  const database = openDatabase(dataDirectory);
  try {
    return new SqliteStore(database, dataDirectory);
  } catch (thrown) {
    database.close();
    throw toStoreError(thrown, dataDirectory);
  }
}
