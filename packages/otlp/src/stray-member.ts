/** Where each list of items belongs that a request of another signal may hold by mistake. */
const SIGNAL_MEMBERS: ReadonlyMap<string, string> = new Map([
  ['resourceSpans', 'traces'],
  ['resourceLogs', 'logs'],
  ['resourceMetrics', 'metrics'],
]);

/** Other spellings of members that hold items, and what OTLP/JSON calls them. */
const SPELLINGS: ReadonlyMap<string, string> = new Map([
  ['resource_spans', 'resourceSpans'],
  ['resource_logs', 'resourceLogs'],
  ['resource_metrics', 'resourceMetrics'],
  ['scope_spans', 'scopeSpans'],
  ['scope_logs', 'scopeLogs'],
  ['scope_metrics', 'scopeMetrics'],
  ['log_records', 'logRecords'],
  ['instrumentation_library_spans', 'scopeSpans'],
  ['instrumentationLibrarySpans', 'scopeSpans'],
  ['instrumentation_library_logs', 'scopeLogs'],
  ['instrumentationLibraryLogs', 'scopeLogs'],
  ['instrumentation_library_metrics', 'scopeMetrics'],
  ['instrumentationLibraryMetrics', 'scopeMetrics'],
]);

/**
 * What is wrong with a member of an OTLP/JSON request that is not known where it stands; undefined for members that mean nothing,
 * which a receiver passes over. Passed over, these would take spans along that their sender believes to be received.
 */
export function describeStrayMember(key: string): string | undefined {
  const signal = SIGNAL_MEMBERS.get(key);
  if (signal !== undefined) return `${key} is of ${signal}, which have a path of their own`;
  const spelling = SPELLINGS.get(key);
  return spelling === undefined ? undefined : `${key} is not of OTLP/JSON, which has ${spelling}`;
}
