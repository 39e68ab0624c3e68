import { holdsPlaceholder } from './placeholder.ts';
import type { Redactor } from './redactor.ts';

/** Headers as a recording holds them: in their order, names as given, credentials replaced by tokens. */
export function redactedHeaders(redactor: Redactor, headers: Iterable<readonly [string, string]>): [string, string][] {
  return Array.from(headers, ([name, value]): [string, string] => [name, redactor.namedText(name, value)]);
}

/** Whether a value of a recorded header is not what was sent: what a replay must not send on or rely on. */
export function isWithheld(value: string): boolean {
  // Recordings of the first version hold this word in place of a token.
  return value === '[redacted]' || holdsPlaceholder(value);
}
