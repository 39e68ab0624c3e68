import { randomBytes } from 'node:crypto';
import type { AnswerReader } from './given-secrets.ts';
import type { Listening } from './listening-file.ts';
import type { RecordedRequest } from './recorded-request.ts';

/** A recorded request, and where it goes. */
export interface SentRequest {
  readonly place: Listening & { readonly verifiesCertificate: boolean };
  readonly request: RecordedRequest;
  /** Sent in place of the recorded headers of the same names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Told of the answer. */
  readonly reader?: AnswerReader;
}

/** They name the recorded trace, and a replay runs under a new one. */
const traceHeaders: ReadonlySet<string> = new Set(['traceparent', 'tracestate']);

function freshTraceparent(): string {
  return `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01`;
}

/** The headers a recorded request is sent with: its own, those given in their place, and a trace of its own where it had one. */
export function sentHeaders({ request, headers }: SentRequest): Record<string, string | string[] | number> {
  const own = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const sent: Record<string, string[]> = {};
  let hasTrace = false;
  for (const [name, value] of request.headers) {
    const key = name.toLowerCase();
    hasTrace ||= key === 'traceparent';
    if (!own.has(key) && !traceHeaders.has(key)) sent[name] = [...(sent[name] ?? []), value];
  }
  const { byteLength } = request.body;
  return {
    ...sent,
    ...(hasTrace && !own.has('traceparent') ? { traceparent: freshTraceparent() } : {}),
    ...headers,
    ...(byteLength === 0 ? {} : { 'content-length': byteLength }),
  };
}
