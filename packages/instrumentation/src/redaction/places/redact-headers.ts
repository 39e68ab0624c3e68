import type { Redactor } from '../redactor/redactor.ts';
import { rememberingSearch } from '../redactor/searched-texts.ts';
import { holdsPlaceholder } from '../text/placeholder.ts';

type HeaderList = readonly (readonly [string, string])[];

const searchHeader = rememberingSearch((redactor, name, value) => redactor.namedText(name, value));
const searched = new WeakMap<HeaderList, Redactor>();

/**
 * Headers as a recording holds them: in their order, names as given, credentials replaced by tokens. A list that `markSearched` named
 * comes back as it is.
 */
export function redactedHeaders(redactor: Redactor, headers: Iterable<readonly [string, string]>): [string, string][] {
  if (searched.get(headers as HeaderList) === redactor) return headers as [string, string][];
  return Array.from(headers, ([name, value]): [string, string] => [name, searchHeader(redactor, name, value)]);
}

/** Remembers that this redactor has nothing more to find in a list of headers, which nobody changes from now on. */
export function markSearched(redactor: Redactor, headers: HeaderList): void {
  searched.set(headers, redactor);
}

/** Whether a value of a recorded header is not what was sent: what a replay must not send on or rely on. */
export function isWithheld(value: string): boolean {
  // Recordings of the first version hold this word in place of a token.
  return value === '[redacted]' || holdsPlaceholder(value);
}
