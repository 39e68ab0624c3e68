/**
 * Headers, and metadata of gRPC, that are another in every run or on every machine and say nothing about what is asked for. A
 * star stands for any text. Part of the policies that name it: another list needs another version of them.
 */
const VOLATILE_HEADERS: readonly string[] = [
  // How this one connection carries the message.
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'grpc-accept-encoding',
  'grpc-timeout',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
  // What sends it.
  'user-agent',
  'sec-*',
  'x-amz-user-agent',
  'x-goog-api-client',
  'x-stainless-*',
  // Who asks: credentials, signatures and what they are made of.
  'authorization',
  'proxy-authorization',
  'cookie',
  '*api-key',
  '*secret*',
  '*signature*',
  '*token',
  'x-amz-content-sha256',
  'x-amz-date',
  'date',
  // Which request of which trace this is.
  'amz-sdk-invocation-id',
  'amz-sdk-request',
  'b3',
  'baggage',
  'idempotency-key',
  'x-idempotency-key',
  'newrelic',
  'sentry-trace',
  'traceparent',
  'tracestate',
  'uber-trace-id',
  'x-amzn-trace-id',
  'x-b3-*',
  'x-cloud-trace-context',
  'x-correlation-id',
  'x-datadog-*',
  'x-ot-span-context',
  'request-id',
  'x-request-id',
  'x-request-start',
];

function sourceOf(name: string): string {
  return name.replaceAll('*', '.*');
}

const volatile = new RegExp(`^(?:${VOLATILE_HEADERS.map(sourceOf).join('|')})$`, 'i');

/** Whether a header is not compared, by its name in any case. */
export function isVolatileHeader(name: string): boolean {
  return volatile.test(name);
}

/**
 * The headers of a request that are compared, by name in lower case. The values of one name stand in one text, as HTTP lets
 * every recipient join them. The content type is left out: an input has it as a member of its own.
 */
export function comparedHeaders(pairs: Iterable<readonly [string, string]>): Record<string, string> {
  const compared: Record<string, string> = Object.create(null);
  for (const [given, value] of pairs) {
    const name = given.toLowerCase();
    if (name === 'content-type' || isVolatileHeader(name)) continue;
    const before = compared[name];
    compared[name] = before === undefined ? value : `${before}, ${value}`;
  }
  return { ...compared };
}
