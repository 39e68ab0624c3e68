import { decodeLogsJson, decodeTracesJsonBytes, type LogsData, type TracesData } from '@reenact/otlp';
import type {
  DriftAnswer,
  DriftQuery,
  RunFilters,
  RunList,
  RunQuery,
  RunTree,
  SearchAnswer,
  SearchQuery,
  SpanQuery,
  TailEvent,
  TailQuery,
  UsageAnswer,
} from '@reenact/trace-model/collector-api';
import { ApiConnection, type CollectorClientOptions } from './api-connection.ts';
import { type FollowOptions, followRuns } from './follow-runs.ts';

/**
 * Typed reads from a collector. Every method throws ReenactError `collector-unreachable`, `collector-refused`, `not-found`,
 * `unauthenticated` or `access-denied`.
 */
export interface CollectorClient {
  /** The whole recording a trace id or any span id of it leads to. Throws `too-large` where it takes more than so many bytes. */
  getRecording(id: string, bytesMax?: number): Promise<TracesData>;
  /** One span with all that was said in it, by its span id. */
  getSpan(spanId: string, query?: SpanQuery): Promise<TracesData>;
  /** The log records of the trace that a trace id or any span id of it leads to; none is an empty document. */
  getLogs(id: string): Promise<LogsData>;
  listRuns(query?: RunQuery): Promise<RunList>;
  /** The run that a trace id or any span id leads to, as a tree of crossings. */
  getRun(id: string): Promise<RunTree>;
  /** Runs whose content has all of the words, with where. */
  searchRuns(query: SearchQuery): Promise<SearchAnswer>;
  /** Tokens by model over all runs that pass the filters. */
  sumUsage(filters?: RunFilters): Promise<UsageAnswer>;
  /** Crossings with equal input and different outcomes. */
  listDrift(query?: DriftQuery): Promise<DriftAnswer>;
  /** Runs as they come and change, until the signal ends it; a lost connection is made again where it left off. */
  followRuns(query: TailQuery, options: FollowOptions): AsyncIterable<TailEvent>;
  /** The collector's own counters, as it names them. */
  stats(): Promise<Record<string, unknown>>;
  /** Whether it takes and serves telemetry now. */
  isReady(): Promise<boolean>;
}

class HttpCollectorClient implements CollectorClient {
  private readonly connection: ApiConnection;

  constructor(options: CollectorClientOptions) {
    this.connection = new ApiConnection(options);
  }

  getRecording(id: string, bytesMax?: number): Promise<TracesData> {
    return this.getTraces(this.connection.pathOf('getRecording', {}, id), bytesMax);
  }

  getSpan(spanId: string, query: SpanQuery = {}): Promise<TracesData> {
    return this.getTraces(this.connection.pathOf('getSpan', query, spanId));
  }

  async getLogs(id: string): Promise<LogsData> {
    const path = this.connection.pathOf('getLogs', {}, id);
    const decoded = decodeLogsJson(await this.connection.getText(path));
    if (!decoded.ok) throw this.connection.malformed(path, decoded.problem.message);
    return decoded.data;
  }

  listRuns(query: RunQuery = {}): Promise<RunList> {
    return this.connection.ask('listRuns', query);
  }

  getRun(id: string): Promise<RunTree> {
    return this.connection.ask('getRun', {}, id);
  }

  searchRuns(query: SearchQuery): Promise<SearchAnswer> {
    return this.connection.ask('searchRuns', query);
  }

  sumUsage(filters: RunFilters = {}): Promise<UsageAnswer> {
    return this.connection.ask('sumUsage', filters);
  }

  listDrift(query: DriftQuery = {}): Promise<DriftAnswer> {
    return this.connection.ask('listDrift', query);
  }

  followRuns(query: TailQuery, options: FollowOptions): AsyncIterable<TailEvent> {
    return followRuns(this.connection, query, options);
  }

  stats(): Promise<Record<string, unknown>> {
    return this.connection.ask('getStats', {});
  }

  async isReady(): Promise<boolean> {
    const { status } = await this.connection.get('/health/ready');
    return status === 200;
  }

  private async getTraces(path: string, bytesMax?: number): Promise<TracesData> {
    const bytes = await this.connection.getBytes(path, bytesMax);
    const decoded = decodeTracesJsonBytes(bytes);
    // Its spans are read: what they were read from is as large as they are.
    bytes.buffer.transfer(0);
    if (!decoded.ok) throw this.connection.malformed(path, decoded.problem.message);
    return decoded.data;
  }
}

/** Makes a client. Throws ReenactError `bad-argument` where the address is none; connects to nothing yet. */
export function createCollectorClient(options: CollectorClientOptions): CollectorClient {
  return new HttpCollectorClient(options);
}
