/** What the collector counts about what it receives, since it started. */
export interface ReceivedCounters {
  requests: number;
  /** After decompression. */
  bytes: number;
  spans: number;
  logRecords: number;
  metricRequests: number;
  stored: number;
  /** Items that were there already, byte for byte: retries. */
  deduplicated: number;
  /** Spans stored beside another version with the same ids. */
  versions: number;
  /** Items rejected by partial successes, by what is wrong with them. */
  rejectedItems: Record<string, number>;
  /** Metrics requests nobody takes, and those that waited too long: they are acknowledged, not kept. */
  discardedMetricRequests: number;
  /** Items kept and not sent on, by why: they had come round in a loop of collectors, or through too many. */
  notForwarded: Record<string, number>;
  /** Whole requests refused, by error code. */
  refusedRequests: Record<string, number>;
}

/** Counters at zero. */
export function createCounters(): ReceivedCounters {
  return {
    requests: 0,
    bytes: 0,
    spans: 0,
    logRecords: 0,
    metricRequests: 0,
    stored: 0,
    deduplicated: 0,
    versions: 0,
    rejectedItems: {},
    discardedMetricRequests: 0,
    notForwarded: {},
    refusedRequests: {},
  };
}
