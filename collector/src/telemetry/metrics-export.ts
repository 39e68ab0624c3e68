import { type HrTime, ValueType } from '@opentelemetry/api';
import { type ExportResult, ExportResultCode, millisToHrTime } from '@opentelemetry/core';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type CollectionResult,
  DataPointType,
  type Histogram,
  MeterProvider,
  type MetricData,
  PeriodicExportingMetricReader,
  type ResourceMetrics,
} from '@opentelemetry/sdk-metrics';
import type { MetricsTarget } from '../config.ts';
import { endpointOf } from '../forward/http-sender.ts';
import { shortReason } from '../forward/short-reason.ts';
import { shownUrl } from '../forward/shown-url.ts';
import { METRICS_EXPORT_TIMEOUT_MS } from '../limits.ts';
import type { Log } from '../log.ts';
import { type CollectorMetric, collectorMetrics, type MetricsSources } from './collector-metrics.ts';
import type { Latency } from './latency.ts';

/** What sending them needs. */
export interface MetricsExportOptions {
  readonly target: MetricsTarget;
  readonly gather: () => Promise<MetricsSources>;
  readonly log: Log;
}

/** Says when exporting fails and when it works again, not each time. */
class LoggedExporter extends OTLPMetricExporter {
  private readonly options: MetricsExportOptions;
  private isFailing = false;

  constructor(options: MetricsExportOptions) {
    super({
      url: endpointOf(options.target.url, 'metrics'),
      headers: options.target.headers,
      timeoutMillis: METRICS_EXPORT_TIMEOUT_MS,
      temporalityPreference: AggregationTemporality.CUMULATIVE,
    });
    this.options = options;
  }

  override export(metrics: ResourceMetrics, done: (result: ExportResult) => void): void {
    super.export(metrics, (result) => {
      this.note(result);
      done(result);
    });
  }

  private note({ code, error }: ExportResult): void {
    const isFailing = code === ExportResultCode.FAILED;
    if (isFailing === this.isFailing) return;
    this.isFailing = isFailing;
    const { log, target } = this.options;
    const url = shownUrl(target.url);
    if (isFailing) log.warn('metrics export failed', { url, reason: shortReason(error?.message ?? '') });
    else log.info('metrics export recovered', { url });
  }
}

/** Sends the collector's own metrics to an OTLP/HTTP endpoint at an interval, and once more at the end. */
export class MetricsExport {
  private readonly provider: MeterProvider;

  /** Starts at once. */
  constructor(options: MetricsExportOptions) {
    const startTime = millisToHrTime(Date.now());
    const { intervalMs } = options.target;
    const reader = new PeriodicExportingMetricReader({
      exporter: new LoggedExporter(options),
      exportIntervalMillis: intervalMs,
      exportTimeoutMillis: Math.min(intervalMs, METRICS_EXPORT_TIMEOUT_MS),
      metricProducers: [{ collect: async () => collected(await options.gather(), startTime) }],
    });
    const resource = resourceFromAttributes({ 'service.name': 'reenact-collector' });
    this.provider = new MeterProvider({ resource, readers: [reader] });
  }

  /** Sends what there is and ends. Never rejects: an endpoint that is away holds nothing up for long. */
  async stop(): Promise<void> {
    await this.provider.shutdown().catch(() => undefined);
  }
}

function collected(sources: MetricsSources, startTime: HrTime): CollectionResult {
  const endTime = millisToHrTime(Date.now());
  const metrics = collectorMetrics(sources).map((metric) => toMetricData(metric, { startTime, endTime }));
  const scopeMetrics = [{ scope: { name: '@reenact/collector' }, metrics }];
  return { resourceMetrics: { resource: resourceFromAttributes({}), scopeMetrics }, errors: [] };
}

function toMetricData(metric: CollectorMetric, times: { startTime: HrTime; endTime: HrTime }): MetricData {
  const descriptor = {
    name: `reenact.collector.${metric.name}`,
    description: metric.help,
    unit: '',
    valueType: ValueType.DOUBLE,
  };
  const temporality = { descriptor, aggregationTemporality: AggregationTemporality.CUMULATIVE };
  if (metric.type === 'histogram') {
    const dataPoints = [{ ...times, attributes: {}, value: toHistogram(metric.latency) }];
    return { ...temporality, dataPointType: DataPointType.HISTOGRAM, dataPoints };
  }
  const dataPoints = metric.samples.map(({ labels, value }) => ({ ...times, attributes: { ...labels }, value }));
  if (metric.type === 'gauge') return { ...temporality, dataPointType: DataPointType.GAUGE, dataPoints };
  return { ...temporality, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints };
}

/** OTLP counts each bucket by itself where Prometheus adds them up. */
function toHistogram(latency: Latency): Histogram {
  const buckets = latency.buckets();
  const counts = buckets.map(({ count }, index) => count - (buckets[index - 1]?.count ?? 0));
  const boundaries = buckets.slice(0, -1).map(({ bound }) => Number(bound));
  return { buckets: { boundaries, counts }, sum: latency.sum(), count: buckets.at(-1)?.count ?? 0 };
}
