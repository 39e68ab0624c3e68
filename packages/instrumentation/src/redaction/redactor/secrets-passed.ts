import type { Attributes } from '@opentelemetry/api';
import { ATTR_REENACT_COOKIES_BROUGHT, ATTR_REENACT_COOKIES_GIVEN } from '@reenact/semconv/reenact';
import type { EncodedValue } from '@reenact/trace-model';
import { macsIn } from '../text/placeholder.ts';

function macsOf(encoded: EncodedValue | undefined, cookies: unknown): string[] {
  const listed = Array.isArray(cookies) ? cookies.flatMap((cookie) => macsIn(String(cookie))) : [];
  const data = encoded?.redacted === undefined ? undefined : encoded.payload.data;
  return data === undefined ? listed : [...listed, ...macsIn(data)];
}

/** What tells the secrets apart that a request came with. */
export function secretsBrought(input: EncodedValue | undefined, content: Attributes): string[] {
  return macsOf(input, content[ATTR_REENACT_COOKIES_BROUGHT]);
}

/** What tells the secrets apart that an answer gave. */
export function secretsGiven(value: EncodedValue | undefined, content: Attributes): string[] {
  return macsOf(value, content[ATTR_REENACT_COOKIES_GIVEN]);
}
