import { randomUUID } from 'node:crypto';
import { type HrTime, ValueType } from '@opentelemetry/api';
import { type ExportResult, ExportResultCode, millisToHrTime } from '@opentelemetry/core';
import { JsonMetricsSerializer } from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type CollectionResult,
  DataPointType,
  type Histogram,
  MeterProvider,
  type MetricData,
  PeriodicExportingMetricReader,
  type PushMetricExporter,
  type ResourceMetrics,
} from '@opentelemetry/sdk-metrics';
import type { CollectorLimits, MetricsTarget } from '../config.ts';
import type { Delivery } from '../forward/delivery.ts';
import { HttpSender } from '../forward/http-sender.ts';
import { shownUrl } from '../forward/shown-url.ts';
import { METRICS_EXPORT_TIMEOUT_MS, METRICS_STOP_MS } from '../limits.ts';
import type { Log } from '../logging/log.ts';
import { type CollectorMetric, collectorMetrics, type MetricsSources } from './collector-metrics.ts';
import type { Latency } from './latency.ts';

/** What sending them needs. */
export interface MetricsExportOptions {
  readonly target: MetricsTarget;
  readonly limits: CollectorLimits;
  readonly gather: () => Promise<MetricsSources>;
  readonly log: Log;
}

/** What a destination is shown where only headers are said. */
const NO_FILES = { ca: undefined, certificate: undefined, key: undefined, token: undefined };

/**
 * Sends by the configuration alone: the exporter of the SDK would take headers and more from `OTEL_EXPORTER_OTLP_*`, which are for those
 * who send to the collector. Says when sending fails and when it works again, not each time.
 */
class MetricsSender implements PushMetricExporter {
  private readonly options: MetricsExportOptions;
  private readonly sender: HttpSender;
  private readonly cut = new AbortController();
  private isFailing = false;

  constructor(options: MetricsExportOptions) {
    const { target, limits } = options;
    this.options = options;
    this.sender = new HttpSender({
      url: target.url,
      headers: target.headers,
      access: NO_FILES,
      limits: { ...limits, forwardTimeoutMs: METRICS_EXPORT_TIMEOUT_MS },
    });
  }

  export(metrics: ResourceMetrics, done: (result: ExportResult) => void): void {
    const body = Buffer.from(JsonMetricsSerializer.serializeRequest(metrics) ?? []);
    void this.sender.deliver('metrics', { format: 'json', body, passed: [] }, this.cut.signal).then((delivery) => {
      const reason = failureOf(delivery);
      this.note(reason);
      done({ code: reason === undefined ? ExportResultCode.SUCCESS : ExportResultCode.FAILED });
    });
  }

  /** Nothing is sent later than `export` says. */
  async forceFlush(): Promise<void> {}

  async shutdown(): Promise<void> {
    this.sender.close();
  }

  /** Gives up what is being sent, and all that comes. */
  giveUp(): void {
    this.cut.abort();
  }

  private note(reason: string | undefined): void {
    const isFailing = reason !== undefined;
    if (isFailing === this.isFailing) return;
    this.isFailing = isFailing;
    const { log, target } = this.options;
    const url = shownUrl(target.url);
    if (isFailing) log.warn('metrics export failed', { url, reason });
    else log.info('metrics export recovered', { url });
  }
}

/** Why a delivery is not one; what the other side leaves out of it is its own affair. */
function failureOf(delivery: Delivery): string | undefined {
  switch (delivery.type) {
    case 'delivered':
      return undefined;
    case 'retry':
    case 'too-large':
    case 'exhausted':
    case 'refused':
    case 'dropped':
      return delivery.reason;
  }
}

/** Sends the collector's own metrics to an OTLP/HTTP endpoint at an interval, and once more at the end. */
export class MetricsExport {
  private readonly sender: MetricsSender;
  private readonly provider: MeterProvider;

  /** Starts at once. */
  constructor(options: MetricsExportOptions) {
    const startTime = millisToHrTime(Date.now());
    const { intervalMs } = options.target;
    this.sender = new MetricsSender(options);
    const reader = new PeriodicExportingMetricReader({
      exporter: this.sender,
      exportIntervalMillis: intervalMs,
      exportTimeoutMillis: Math.min(intervalMs, METRICS_EXPORT_TIMEOUT_MS),
      metricProducers: [{ collect: async () => collected(await options.gather(), startTime) }],
    });
    // Backends take the counts of two collectors for those of one, going back and forth, unless they say which it is.
    const resource = resourceFromAttributes({
      'service.name': 'reenact-collector',
      'service.instance.id': randomUUID(),
    });
    this.provider = new MeterProvider({ resource, readers: [reader] });
  }

  /** Sends what there is and ends, within METRICS_STOP_MS. Never rejects. */
  async stop(): Promise<void> {
    const timer = setTimeout(() => this.sender.giveUp(), METRICS_STOP_MS);
    await this.provider.shutdown().catch(() => undefined);
    clearTimeout(timer);
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
