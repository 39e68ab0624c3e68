/** The headers of the standard variables; each value is percent-encoded there. */
export function headersOf(environment: NodeJS.ProcessEnv): Record<string, string> {
  const text = [environment.OTEL_EXPORTER_OTLP_HEADERS, environment.OTEL_EXPORTER_OTLP_TRACES_HEADERS]
    .filter((part) => part !== undefined && part !== '')
    .join(',');
  const headers: Record<string, string> = {};
  for (const pair of text.split(',')) {
    const split = pair.indexOf('=');
    if (split > 0) headers[pair.slice(0, split).trim()] = decodeURIComponent(pair.slice(split + 1).trim());
  }
  return headers;
}
