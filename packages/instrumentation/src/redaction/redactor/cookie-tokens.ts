import { COOKIES_MAX } from '../../limits.ts';
import { processRedactor } from './process-redaction.ts';

/** The pair at the beginning of a cookie, as it is kept: its name as it was given, and the token of its value. */
function tokenOfPair(pair: string): string {
  const at = pair.indexOf('=') + 1;
  const value = pair.slice(at).trim();
  const name = pair.slice(0, at).trim();
  return value === '' ? name : `${name}${processRedactor().placeholder('named-value', value)}`;
}

function tokensOf(pairs: readonly string[]): string[] | undefined {
  return pairs.length === 0 || pairs.length > COOKIES_MAX ? undefined : pairs.map(tokenOfPair);
}

/**
 * The cookies of a request, each by its name and the token of its value, so that what an answer gave is known again where it is brought back; the
 * header as a whole is one token. Undefined where there are none, or too many.
 */
export function broughtCookies(headers: readonly string[]): string[] | undefined {
  const pairs = headers.flatMap((header) => header.split(';'));
  return tokensOf(pairs.map((pair) => pair.trim()).filter((pair) => pair !== ''));
}

/** The same of the cookies that an answer sets, one a header. */
export function givenCookies(headers: readonly string[]): string[] | undefined {
  return tokensOf(headers.map((header) => header.split(';', 1)[0] ?? ''));
}
