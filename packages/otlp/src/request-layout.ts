/** How the OTLP/JSON form of an export request names its levels. */
export interface RequestLayout {
  readonly groups: string;
  readonly scopes: string;
  readonly items: string;
  /** The message of one item, as the descriptor names it. */
  readonly message: string;
}

/** ExportTraceServiceRequest, and TracesData. */
export const TRACES_LAYOUT: RequestLayout = {
  groups: 'resourceSpans',
  scopes: 'scopeSpans',
  items: 'spans',
  message: 'Span',
};

/** ExportLogsServiceRequest, and LogsData. */
export const LOGS_LAYOUT: RequestLayout = {
  groups: 'resourceLogs',
  scopes: 'scopeLogs',
  items: 'logRecords',
  message: 'LogRecord',
};

/** ExportMetricsServiceRequest, and MetricsData. */
export const METRICS_LAYOUT: RequestLayout = {
  groups: 'resourceMetrics',
  scopes: 'scopeMetrics',
  items: 'metrics',
  message: 'Metric',
};
