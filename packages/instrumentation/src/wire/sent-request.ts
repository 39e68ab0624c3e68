import { attemptHeaders, senderVersions } from '@reenact/trace-model';
import { recordedHeaders, redactedUrl } from '../redaction/places/recorded-headers.ts';

/** One attempt of a client as it would go out. */
export interface ClientAttempt {
  /** 0-based number within its crossing. */
  readonly attempt: number;
  readonly url: string;
  readonly headers: Iterable<readonly [string, string]>;
}

/** What one attempt of a client asks for beside the input of its crossing, without secrets. */
export interface SentRequest {
  /** 0-based number within its crossing. */
  readonly attempt: number;
  /** Those that are compared, by name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Versions of the packages that made it, by what these call themselves. */
  readonly senders: Readonly<Record<string, string>>;
  /** Its origin and path are not compared: a replay may be given another base URL. */
  readonly url: string;
}

/** An attempt as a replay may see it. */
export function sentRequest({ attempt, url, headers }: ClientAttempt): SentRequest {
  const pairs = [...headers];
  const compared = Object.entries(attemptHeaders(pairs));
  return {
    attempt,
    url: redactedUrl(url),
    headers: Object.fromEntries(recordedHeaders(compared)),
    senders: senderVersions(pairs),
  };
}
