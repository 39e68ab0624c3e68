import type { CollectorStats } from '../query/stats.ts';
import type { Latency } from './latency.ts';

/** Everything the metrics are made of. */
export interface MetricsSources {
  readonly stats: CollectorStats;
  readonly bytesInFlight: number;
  /** From the whole request to the acknowledgement. */
  readonly acknowledged: Latency;
}

type Labels = Readonly<Record<string, string>>;

/** Writes families of metrics as text, one after the other. */
class MetricsText {
  private text = '';

  counter(name: string, help: string, samples: number | readonly (readonly [Labels, number])[]): void {
    this.family(`${name}_total`, 'counter', help, samples);
  }

  gauge(name: string, help: string, samples: number | readonly (readonly [Labels, number])[]): void {
    this.family(name, 'gauge', help, samples);
  }

  histogram(name: string, help: string, latency: Latency): void {
    const full = this.head(name, 'histogram', help);
    const buckets = latency.buckets();
    for (const { bound, count } of buckets) this.text += `${full}_bucket${labelText({ le: bound })} ${count}\n`;
    this.text += `${full}_sum ${latency.sum()}\n${full}_count ${buckets.at(-1)?.count ?? 0}\n`;
  }

  toString(): string {
    return this.text;
  }

  private family(
    name: string,
    type: 'counter' | 'gauge',
    help: string,
    samples: number | readonly (readonly [Labels, number])[],
  ): void {
    const full = this.head(name, type, help);
    const all: readonly (readonly [Labels, number])[] = typeof samples === 'number' ? [[{}, samples]] : samples;
    for (const [labels, value] of all) this.text += `${full}${labelText(labels)} ${value}\n`;
  }

  private head(name: string, type: string, help: string): string {
    const full = `reenact_collector_${name}`;
    this.text += `# HELP ${full} ${help}\n# TYPE ${full} ${type}\n`;
    return full;
  }
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

/** The collector's metrics in the text format of Prometheus, version 0.0.4. They hold counts and no content. */
export function renderMetrics({ stats, bytesInFlight, acknowledged }: MetricsSources): string {
  const text = new MetricsText();
  writeReceived(text, stats);
  text.gauge('in_flight_bytes', 'Bytes of requests in work.', bytesInFlight);
  text.histogram('acknowledge_seconds', 'From the whole request to its acknowledgement, sync included.', acknowledged);
  writeStore(text, stats);
  writeForwarding(text, stats);
  return text.toString();
}

function writeReceived(text: MetricsText, { received }: CollectorStats): void {
  text.counter('requests', 'Export requests that were read.', received.requests);
  text.counter('received_bytes', 'Bytes of export requests after decompression.', received.bytes);
  text.counter('received_items', 'Items received, also those rejected.', [
    [{ signal: 'spans' }, received.spans],
    [{ signal: 'log_records' }, received.logRecords],
    [{ signal: 'metric_requests' }, received.metricRequests],
  ]);
  text.counter('stored_items', 'Spans and log records that were new.', received.stored);
  text.counter('deduplicated_items', 'Spans and log records that were there already.', received.deduplicated);
  text.counter('span_versions', 'Spans stored beside another version of the same ids.', received.versions);
  text.counter('rejected_items', 'Items rejected by a partial success.', received.rejectedItems);
  text.counter('discarded_metric_requests', 'Metrics requests nobody takes.', received.discardedMetricRequests);
  const refused = Object.entries(received.refusedRequests).map(([code, count]) => [{ code }, count] as const);
  text.counter('refused_requests', 'Whole requests refused, by error code.', refused);
}

function writeStore(text: MetricsText, { store }: CollectorStats): void {
  text.gauge('store_bytes', 'Size of the data directory on disk.', store.bytes);
  text.gauge('store_unsettled_bytes', 'Bytes of the log that are not settled yet.', store.unsettledBytes);
  text.gauge('store_items', 'What the store holds.', [
    [{ kind: 'spans' }, store.spans],
    [{ kind: 'traces' }, store.traces],
    [{ kind: 'log_records' }, store.logRecords],
  ]);
  text.gauge('cold_traces', 'Traces that cannot be replayed.', store.coldTraces);
  const causes = Object.entries(store.coldByCause).map(([cause, count]) => [{ cause }, count] as const);
  text.gauge('cold_traces_by_cause', 'Traces that cannot be replayed, under each of their causes.', causes);
  text.counter('store_commits', 'Commits synced to disk.', store.commits);
  text.counter('store_appends', 'Requests made durable by those commits.', store.appends);
  text.gauge('store_last_commit_seconds', 'How long the last commit took.', store.lastCommitMs / 1000);
  const isFailing = store.backgroundError === undefined ? 0 : 1;
  text.gauge('store_background_failing', '1 while settling or thinning out fails.', isFailing);
}

function writeForwarding(text: MetricsText, { forward, orphanedQueues }: CollectorStats): void {
  const each = (value: (destination: CollectorStats['forward'][number]) => number) =>
    forward.map((destination) => [{ destination: destination.name }, value(destination)] as const);
  const orphans = Object.entries(orphanedQueues).map(([destination, depth]) => [{ destination }, depth] as const);
  text.gauge('forward_queued_items', 'Items waiting on disk.', [...each(({ queued }) => queued), ...orphans]);
  text.counter(
    'forward_delivered_items',
    'Items delivered.',
    each(({ delivered }) => delivered),
  );
  const sum = (counts: Readonly<Record<string, number>>) => Object.values(counts).reduce((all, one) => all + one, 0);
  text.counter(
    'forward_dropped_items',
    'Items refused for good.',
    each(({ dropped }) => sum(dropped)),
  );
  text.gauge(
    'forward_healthy',
    '1 unless the last delivery failed.',
    each(({ isHealthy }) => (isHealthy ? 1 : 0)),
  );
}
