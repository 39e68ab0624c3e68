import http from 'node:http';
import https from 'node:https';
import { subtreeOf } from '@reenact/recordings';
import type { Crossing, Recording } from '@reenact/trace-model';
import { RUN_TAIL_MS, RUN_TAIL_MS_MAX } from '../limits.ts';
import type { HttpVersion } from './listening-file.ts';
import { hostOfAddress } from './open-session.ts';
import { COOKIE, QUERY_PARAMETER, type RecordedRequest } from './recorded-request.ts';
import { sendRecordedStream } from './send-recorded-stream.ts';
import { type SentRequest, sentHeaders } from './sent-headers.ts';

function requestOptions(sent: SentRequest): https.RequestOptions {
  const { address, port, verifiesCertificate } = sent.place;
  const { method, target } = sent.request;
  const place = port === undefined ? { socketPath: address } : { port, host: hostOfAddress(address) };
  return {
    ...place,
    method,
    path: target,
    agent: false,
    rejectUnauthorized: verifiesCertificate,
    headers: sentHeaders(sent),
  };
}

/** The version of HTTP a recorded request is sent by: its own where the place understands it. */
function versionOf({ request, place }: Pick<SentRequest, 'request' | 'place'>): HttpVersion {
  const { httpVersions = ['1.1'] } = place;
  return httpVersions.find((version) => version === request.httpVersion) ?? httpVersions[0] ?? '1.1';
}

/** What the report says where a request had to be sent by another version than it came by. */
export function versionNotes(sent: Pick<SentRequest, 'request' | 'place'>): string[] {
  const version = versionOf(sent);
  const { httpVersion } = sent.request;
  if (version === httpVersion) return [];
  return [
    `The recorded request came by HTTP/${httpVersion} and was sent by HTTP/${version}, which is what the service speaks.`,
  ];
}

/**
 * Sends a recorded request, by the version of HTTP it came by where the service speaks that, and reads the answer to its end. Resolves with
 * why that failed; undefined where it did not, or the signal aborted: what came of it the service itself reports. Never rejects for
 * what the service does.
 */
export async function sendRecordedRequest(sent: SentRequest): Promise<string | undefined> {
  const failure = await (versionOf(sent) === '2' ? sendRecordedStream(sent) : sendRecordedMessage(sent));
  sent.reader?.over();
  return failure;
}

function sendRecordedMessage(sent: SentRequest): Promise<string | undefined> {
  const { signal, reader } = sent;
  const client = sent.place.protocol === 'https' ? https : http;
  return new Promise((resolve) => {
    const request = client.request({ ...requestOptions(sent), signal });
    request.on('response', (response) => {
      reader?.head(response.headers['set-cookie'] ?? []);
      if (reader !== undefined) response.on('data', (bytes: Buffer) => reader.chunk(bytes));
      response.on('error', () => undefined);
      response.on('close', () => resolve(undefined)).resume();
    });
    request.on('error', (error) => resolve(signal.aborted ? undefined : error.message));
    request.end(sent.request.body);
  });
}

const bodyRedacted =
  'The request was sent with tokens in its body, in place of what was redacted: code that checks a signature of the body refuses it.';

function withheldNote(name: string, isGivenByUnsent: boolean): string {
  if (name.startsWith(QUERY_PARAMETER))
    return `The request was sent with a token in place of its recorded ${name}, which was redacted: code that looks a session up by it, or checks it, refuses it.`;
  const isCookie = name.startsWith(COOKIE);
  const header = isCookie ? `--header "Cookie: ${name.slice(COOKIE.length)}=<value>"` : '--header';
  const from = isGivenByUnsent
    ? '; an answer to an earlier request had given what it brought back: `--requests-before all` sends that one first'
    : isCookie
      ? ', and no request that was sent before it was given it'
      : '';
  return `The request was sent without its recorded ${name}, which was redacted${from}; ${header} gives it one.`;
}

/** Which credentials a request was sent without, in words. `isGivenByUnsent`: the answer to one that was not sent had given it some. */
export function withheldNotes(
  { withheld, isBodyRedacted }: RecordedRequest,
  headers: Readonly<Record<string, string>>,
  isGivenByUnsent = false,
): string[] {
  const given = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const isGiven = (name: string): boolean => given.has(name.startsWith(COOKIE) ? COOKIE.trim() : name);
  const notes = withheld.filter((name) => !isGiven(name)).map((name) => withheldNote(name, isGivenByUnsent));
  return isBodyRedacted ? [...notes, bodyRedacted] : notes;
}

function durationMs(fromUnixNano: bigint, toUnixNano: bigint): number {
  return Math.max(0, Number((toUnixNano - fromUnixNano) / 1_000_000n));
}

/** Whether whoever asked had gone away before there was an answer; whoever asks again then gives up, too. */
export function gaveUp({ outcome }: Crossing): boolean {
  return outcome.type === 'aborted' || outcome.type === 'pending';
}

/** What the report says where a request could not be sent or read. Where the recorded client went away, its connection ends, too. */
export function unansweredNotes(root: Crossing, failure: string | undefined): string[] {
  return failure === undefined || gaveUp(root) ? [] : [`The recorded request was not answered: ${failure}.`];
}

/** How long the recorded run went on to start crossings after it had answered, milliseconds. */
export function tailMs({ recording, root }: { readonly recording: Recording; readonly root: Crossing }): number {
  const starts = subtreeOf(recording, root.spanId).map(({ startTimeUnixNano }) => startTimeUnixNano);
  const tails = starts.map((start) => durationMs(root.endTimeUnixNano, start)).filter((tail) => tail > 0);
  return tails.length === 0 ? 0 : Math.min(Math.max(...tails) + RUN_TAIL_MS, RUN_TAIL_MS_MAX);
}
