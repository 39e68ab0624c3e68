import { type CollectorMetric, collectorMetrics, type MetricSample, type MetricsSources } from './collector-metrics.ts';
import type { Latency } from './latency.ts';

function labelText(labels: MetricSample['labels']): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

function renderLatency(full: string, latency: Latency): string {
  const buckets = latency.buckets();
  const lines = buckets.map(({ bound, count }) => `${full}_bucket${labelText({ le: bound })} ${count}\n`).join('');
  return `${lines}${full}_sum ${latency.sum()}\n${full}_count ${buckets.at(-1)?.count ?? 0}\n`;
}

function renderMetric(metric: CollectorMetric): string {
  const full = `reenact_collector_${metric.name}${metric.type === 'counter' ? '_total' : ''}`;
  const head = `# HELP ${full} ${metric.help}\n# TYPE ${full} ${metric.type}\n`;
  if (metric.type === 'histogram') return head + renderLatency(full, metric.latency);
  return head + metric.samples.map(({ labels, value }) => `${full}${labelText(labels)} ${value}\n`).join('');
}

/** The collector's metrics in the text format of Prometheus, version 0.0.4. */
export function renderMetrics(sources: MetricsSources): string {
  return collectorMetrics(sources).map(renderMetric).join('');
}
