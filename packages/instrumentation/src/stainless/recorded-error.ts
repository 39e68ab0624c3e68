import { recordedHeaders } from '../redaction/places/recorded-headers.ts';

/**
 * An error as a recording may hold it: the client's status errors carry the response headers, cookies included. A copy of
 * the same class where there is something to take out; the error itself, untouched, goes on to the host.
 */
export function recordedError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const descriptors = Object.getOwnPropertyDescriptors(error) as Record<string, PropertyDescriptor>;
  const headers: unknown = descriptors.headers?.value;
  if (!(headers instanceof Headers)) return error;
  const value = new Headers(recordedHeaders(headers));
  return Object.create(Object.getPrototypeOf(error), { ...descriptors, headers: { ...descriptors.headers, value } });
}
