import type {
  ComparisonQuery,
  DriftAnswer,
  DriftQuery,
  RunComparison,
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
import { ApiConnection, type ConnectionOptions } from './api-connection.ts';
import { type FollowOptions, followRuns } from './follow-runs.ts';

export type { ConnectionOptions } from './api-connection.ts';
export type { FollowOptions } from './follow-runs.ts';
export { RetryDelay } from './retry-delay.ts';
export { sleepUnless } from './sleep-unless.ts';

/**
 * What a collector is asked, in any process and in a browser: nothing here is of Node.js. Every method throws ReenactError
 * `collector-unreachable`, `collector-refused`, `not-found`, `unauthenticated` or `access-denied`.
 */
export interface CollectorQuestions {
  listRuns(query?: RunQuery): Promise<RunList>;
  /** The run that a trace id or any span id leads to, as a tree of crossings. */
  getRun(id: string): Promise<RunTree>;
  /** Runs whose content has all of the words, with where. */
  searchRuns(query: SearchQuery): Promise<SearchAnswer>;
  /** Tokens by model over all runs that pass the filters. */
  sumUsage(filters?: RunFilters): Promise<UsageAnswer>;
  /** Crossings with equal input and different outcomes. */
  listDrift(query?: DriftQuery): Promise<DriftAnswer>;
  /** Two runs of the same tenant side by side. Throws also `too-large` and `cold-case`. */
  compareRuns(query: ComparisonQuery): Promise<RunComparison>;
  /** Runs as they come and change, until the signal ends it; a lost connection is made again where it left off. */
  followRuns(query: TailQuery, options: FollowOptions): AsyncIterable<TailEvent>;
  /** One span with all that was said in it, as the OTLP/JSON text that the collector writes. */
  getSpanJson(spanId: string, query?: SpanQuery): Promise<string>;
  /** The collector's own counters, as it names them. */
  stats(): Promise<Record<string, unknown>>;
  /** Whether it takes and serves telemetry now. */
  isReady(): Promise<boolean>;
}

/** Asks over HTTP. */
export class HttpCollectorQuestions implements CollectorQuestions {
  protected readonly connection: ApiConnection;

  /** Throws ReenactError `bad-argument` where the address is none; connects to nothing yet. */
  constructor(options: ConnectionOptions) {
    this.connection = new ApiConnection(options);
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

  compareRuns(query: ComparisonQuery): Promise<RunComparison> {
    return this.connection.ask('compareRuns', query);
  }

  followRuns(query: TailQuery, options: FollowOptions): AsyncIterable<TailEvent> {
    return followRuns(this.connection, query, options);
  }

  getSpanJson(spanId: string, query: SpanQuery = {}): Promise<string> {
    return this.connection.getText(this.connection.pathOf('getSpan', query, spanId));
  }

  stats(): Promise<Record<string, unknown>> {
    return this.connection.ask('getStats', {});
  }

  async isReady(): Promise<boolean> {
    const { status } = await this.connection.get('/health/ready');
    return status === 200;
  }
}
