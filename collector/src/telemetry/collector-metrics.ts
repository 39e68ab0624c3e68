import type { CollectorStats } from '../query/stats.ts';
import type { Latency } from './latency.ts';

/** Everything the metrics are made of. */
export interface MetricsSources {
  readonly stats: CollectorStats;
  readonly bytesInFlight: number;
  /** From the whole request to the acknowledgement. */
  readonly acknowledged: Latency;
}

/** A value and what sets it apart from the others of its metric. */
export interface MetricSample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** One metric as it is now. Names are in snake_case, without the prefix and the ending that a format adds. */
export type CollectorMetric =
  | {
      readonly type: 'counter' | 'gauge';
      readonly name: string;
      readonly help: string;
      readonly samples: readonly MetricSample[];
    }
  | { readonly type: 'histogram'; readonly name: string; readonly help: string; readonly latency: Latency };

type Values = number | readonly (readonly [MetricSample['labels'], number])[];

/** Gathers metrics, one after the other. */
class MetricsList {
  readonly all: CollectorMetric[] = [];

  counter(name: string, help: string, values: Values): void {
    this.all.push({ type: 'counter', name, help, samples: samplesOf(values) });
  }

  gauge(name: string, help: string, values: Values): void {
    this.all.push({ type: 'gauge', name, help, samples: samplesOf(values) });
  }

  histogram(name: string, help: string, latency: Latency): void {
    this.all.push({ type: 'histogram', name, help, latency });
  }
}

function samplesOf(values: Values): readonly MetricSample[] {
  if (typeof values === 'number') return [{ labels: {}, value: values }];
  return values.map(([labels, value]) => ({ labels, value }));
}

/** Every metric of the collector, for each format it is given in. They hold counts and no content. */
export function collectorMetrics({ stats, bytesInFlight, acknowledged }: MetricsSources): readonly CollectorMetric[] {
  const metrics = new MetricsList();
  addReceived(metrics, stats);
  metrics.gauge('in_flight_bytes', 'Bytes of requests in work.', bytesInFlight);
  metrics.histogram(
    'acknowledge_seconds',
    'From the whole request to its acknowledgement, sync included.',
    acknowledged,
  );
  addStore(metrics, stats);
  addForwarding(metrics, stats);
  return metrics.all;
}

function addReceived(metrics: MetricsList, { received }: CollectorStats): void {
  metrics.counter('requests', 'Export requests that were read.', received.requests);
  metrics.counter('received_bytes', 'Bytes of export requests after decompression.', received.bytes);
  metrics.counter('received_items', 'Items received, also those rejected.', [
    [{ signal: 'spans' }, received.spans],
    [{ signal: 'log_records' }, received.logRecords],
    [{ signal: 'metric_requests' }, received.metricRequests],
  ]);
  metrics.counter('stored_items', 'Spans and log records that were new.', received.stored);
  metrics.counter('deduplicated_items', 'Spans and log records that were there already.', received.deduplicated);
  metrics.counter('span_versions', 'Spans stored beside another version of the same ids.', received.versions);
  const rejected = Object.entries(received.rejectedItems).map(([reason, count]) => [{ reason }, count] as const);
  metrics.counter('rejected_items', 'Items rejected by a partial success, by what is wrong with them.', rejected);
  metrics.counter(
    'discarded_metric_requests',
    'Metrics requests nobody takes, or that waited for too long.',
    received.discardedMetricRequests,
  );
  const stayed = Object.entries(received.notForwarded).map(([reason, count]) => [{ reason }, count] as const);
  metrics.counter('not_forwarded_items', 'Items kept and not sent on, since they went round or too far.', stayed);
  const refused = Object.entries(received.refusedRequests).map(([code, count]) => [{ code }, count] as const);
  metrics.counter('refused_requests', 'Whole requests refused, by error code.', refused);
}

function addStore(metrics: MetricsList, { store }: CollectorStats): void {
  metrics.gauge('store_bytes', 'Size of the data directory on disk.', store.bytes);
  metrics.gauge('store_disk_free_bytes', 'What the disk of the data directory has left.', store.diskFreeBytes);
  metrics.gauge('store_unsettled_bytes', 'Bytes of the log that are not settled yet.', store.unsettledBytes);
  metrics.gauge('store_hurried_packs', 'Packs that wait for idle time to be compressed better.', store.hurriedPacks);
  metrics.gauge('store_items', 'What the store holds.', [
    [{ kind: 'spans' }, store.spans],
    [{ kind: 'traces' }, store.traces],
    [{ kind: 'log_records' }, store.logRecords],
  ]);
  metrics.gauge('cold_traces', 'Traces that cannot be replayed.', store.coldTraces);
  const causes = Object.entries(store.coldByCause).map(([cause, count]) => [{ cause }, count] as const);
  metrics.gauge('cold_traces_by_cause', 'Traces that cannot be replayed, under each of their causes.', causes);
  metrics.counter('store_commits', 'Commits synced to disk.', store.commits);
  metrics.counter('store_appends', 'Requests made durable by those commits.', store.appends);
  metrics.gauge('store_last_commit_seconds', 'How long the last commit took.', store.lastCommitMs / 1000);
  const isRefusing = store.refusal === undefined ? 0 : 1;
  metrics.gauge('store_refusing', '1 while the store takes no requests, as on a full disk.', isRefusing);
  const isFailing = store.backgroundError === undefined ? 0 : 1;
  metrics.gauge(
    'store_background_failing',
    '1 while settling, thinning out, or what a deletion left behind at a kill fails.',
    isFailing,
  );
}

function addForwarding(metrics: MetricsList, { forward, orphanedQueues }: CollectorStats): void {
  const each = (value: (destination: CollectorStats['forward'][number]) => number) =>
    forward.map((destination) => [{ destination: destination.name }, value(destination)] as const);
  const orphans = Object.entries(orphanedQueues).map(([destination, depth]) => [{ destination }, depth] as const);
  metrics.gauge('forward_queued_items', 'Items waiting on disk.', [...each(({ queued }) => queued), ...orphans]);
  metrics.gauge(
    'forward_oldest_queued_seconds',
    'How long what waits longest for the destination has waited; 0 where nothing does, none where it is not known.',
    forward.flatMap(({ name, queued, oldestQueuedAt }) => {
      const labels = { destination: name };
      if (oldestQueuedAt === undefined) return queued === 0 ? [[labels, 0] as const] : [];
      return [[labels, Math.max(0, Date.now() - Date.parse(oldestQueuedAt)) / 1000] as const];
    }),
  );
  metrics.counter(
    'forward_delivered_items',
    'Items delivered.',
    each(({ delivered }) => delivered),
  );
  const sum = (counts: Readonly<Record<string, number>>) => Object.values(counts).reduce((all, one) => all + one, 0);
  metrics.counter(
    'forward_dropped_items',
    'Items refused for good.',
    each(({ dropped }) => sum(dropped)),
  );
  metrics.gauge(
    'forward_healthy',
    '1 unless the last delivery failed, or requests are refused whatever is in them.',
    each(({ isHealthy }) => (isHealthy ? 1 : 0)),
  );
}
