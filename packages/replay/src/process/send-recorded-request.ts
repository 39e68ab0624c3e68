import { randomBytes } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import type { Crossing, Recording } from '@reenact/trace-model';
import { RUN_TAIL_MS, RUN_TAIL_MS_MAX } from '../limits.ts';
import { subtreeOf } from '../player/subtree.ts';
import type { Listening } from './listening-file.ts';
import type { RecordedRequest } from './recorded-request.ts';

/** A recorded request, and where it goes. */
export interface SentRequest {
  readonly place: Listening & { readonly verifiesCertificate: boolean };
  readonly request: RecordedRequest;
  /** Sent in place of the recorded headers of the same names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

const anyAddress: ReadonlySet<string> = new Set(['::', '0.0.0.0']);
/** They name the recorded trace, and a replay runs under a new one. */
const traceHeaders: ReadonlySet<string> = new Set(['traceparent', 'tracestate']);

function freshTraceparent(): string {
  return `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01`;
}

function headersOf({ request, headers }: SentRequest): Record<string, string | string[] | number> {
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

function requestOptions(sent: SentRequest): https.RequestOptions {
  const { address, port, verifiesCertificate } = sent.place;
  const { method, target } = sent.request;
  const place =
    port === undefined ? { socketPath: address } : { port, host: anyAddress.has(address) ? 'localhost' : address };
  return {
    ...place,
    method,
    path: target,
    agent: false,
    rejectUnauthorized: verifiesCertificate,
    headers: headersOf(sent),
  };
}

/**
 * Sends a recorded request and reads the answer to its end. Resolves with why that failed; undefined where it did not, or the signal
 * aborted: what came of it the service itself reports. Never rejects for what the service does.
 */
export function sendRecordedRequest(sent: SentRequest): Promise<string | undefined> {
  const { signal } = sent;
  const client = sent.place.protocol === 'https' ? https : http;
  return new Promise((resolve) => {
    const request = client.request({ ...requestOptions(sent), signal });
    request.on('response', (response) => {
      response.on('error', () => undefined);
      response.on('close', () => resolve(undefined)).resume();
    });
    request.on('error', (error) => resolve(signal.aborted ? undefined : error.message));
    request.end(sent.request.body);
  });
}

/** Which credentials a request was sent without, in words. */
export function withheldNotes({ withheld }: RecordedRequest, headers: Readonly<Record<string, string>>): string[] {
  const given = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  return withheld
    .filter((name) => !given.has(name))
    .map((name) => `The request was sent without its recorded ${name}, which was redacted; --header gives it one.`);
}

function durationMs(fromUnixNano: bigint, toUnixNano: bigint): number {
  return Math.max(0, Number((toUnixNano - fromUnixNano) / 1_000_000n));
}

/** Whether whoever asked had gone away before there was an answer; whoever asks again then gives up, too. */
export function gaveUp({ outcome }: Crossing): boolean {
  return outcome.type === 'aborted' || outcome.type === 'pending';
}

/** How long such a one waits, milliseconds. */
export function patienceMs(root: Crossing): number {
  return Math.min(durationMs(root.startTimeUnixNano, root.endTimeUnixNano) + RUN_TAIL_MS, RUN_TAIL_MS_MAX);
}

/** How long the recorded run went on to start crossings after it had answered, milliseconds. */
export function tailMs({ recording, root }: { readonly recording: Recording; readonly root: Crossing }): number {
  const starts = subtreeOf(recording, root.spanId).map(({ startTimeUnixNano }) => startTimeUnixNano);
  const tails = starts.map((start) => durationMs(root.endTimeUnixNano, start)).filter((tail) => tail > 0);
  return tails.length === 0 ? 0 : Math.min(Math.max(...tails) + RUN_TAIL_MS, RUN_TAIL_MS_MAX);
}
