/** What stands in a recording in place of a credential that travelled in a header. */
export const REDACTED_HEADER_VALUE = '[redacted]';

const credentialHeaders: ReadonlySet<string> = new Set([
  'authorization',
  'proxy-authorization',
  'api-key',
  'x-api-key',
  'x-goog-api-key',
  'x-amz-security-token',
  'cookie',
  'set-cookie',
]);

/** Whether a header's value is a credential by its name alone; the name in any case. */
export function isCredentialHeader(name: string): boolean {
  return credentialHeaders.has(name.toLowerCase());
}

/**
 * Headers as a recording holds them: in their order, repeated names kept, names as given, and every credential replaced by
 * `[redacted]`. Other values are untouched.
 */
export function recordedHeaders(headers: Iterable<readonly [string, string]>): [string, string][] {
  return Array.from(headers, ([name, value]): [string, string] => [
    name,
    isCredentialHeader(name) ? REDACTED_HEADER_VALUE : value,
  ]);
}
