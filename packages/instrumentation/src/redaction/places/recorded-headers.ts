import { processRedactor } from '../redactor/process-redaction.ts';
import { redactedText } from '../redactor/redacted-text.ts';
import type { Redactor } from '../redactor/redactor.ts';
import { rememberingSearch } from '../redactor/searched-texts.ts';
import { networkCookieStart } from '../rules/network-cookie.ts';
import { markSearched } from './redact-headers.ts';
import { redactedSubprotocols } from './redacted-subprotocols.ts';

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

function withoutCredential(redactor: Redactor, name: string, value: string): string {
  if (isCredentialHeader(name)) return redactor.credential(value);
  return name.toLowerCase() === 'sec-websocket-protocol' ? redactedSubprotocols(redactor, value) : value;
}

const searchHeader = rememberingSearch((redactor, name, value) => {
  const start = name.toLowerCase() === 'set-cookie' ? networkCookieStart(value) : undefined;
  if (start !== undefined) return `${start}${redactor.credential(value.slice(start.length))}`;
  return withoutCredential(redactor, name, redactor.namedText(name, value));
});

/**
 * Headers as a recording holds them: in their order, repeated names kept, names as given, and every credential replaced by
 * its token. Other values are untouched. Credentials are replaced even where redaction is off. A cookie of the network in between keeps its name.
 */
export function recordedHeaders(headers: Iterable<readonly [string, string]>): [string, string][] {
  const redactor = processRedactor();
  const recorded: [string, string][] = [];
  for (const [name, value] of headers) recorded.push([name, searchHeader(redactor, name, value)]);
  // The exchange that they become part of is searched as a whole, too.
  markSearched(redactor, recorded);
  return recorded;
}

/** The text of a URL as a recording holds it: passwords and credential parameters replaced by tokens. */
export function redactedUrl(text: string): string {
  return redactedText(processRedactor(), text);
}
