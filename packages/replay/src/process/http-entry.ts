import type { ChildProcess } from 'node:child_process';
import http from 'node:http';
import https from 'node:https';
import { ATTR_NETWORK_LOCAL_PORT } from '@reenact/semconv/core';
import { type Crossing, isReenactError, type Recording } from '@reenact/trace-model';
import { CHILD_STOP_MS_MAX, LISTEN_MS_MAX, RUN_TAIL_MS, RUN_TAIL_MS_MAX } from '../limits.ts';
import { subtreeOf } from '../player/subtree.ts';
import { awaitListening, type Listening } from './listening-file.ts';
import type { RecordedRequest } from './recorded-request.ts';

/** How a run that an inbound request entered is entered again. */
export interface HttpEntry {
  readonly recording: Recording;
  readonly root: Crossing;
  readonly request: RecordedRequest;
  /** Sent in place of the recorded headers of the same names, such as those whose values were redacted. */
  readonly headers: Readonly<Record<string, string>>;
  /** The replay's directory, where its processes tell where they listen. */
  readonly directory: string;
}

const anyAddress: ReadonlySet<string> = new Set(['::', '0.0.0.0']);

function requestOptions(listening: Listening, entry: HttpEntry): https.RequestOptions {
  const { method, target, body, headers } = entry.request;
  const own = new Set(Object.keys(entry.headers).map((name) => name.toLowerCase()));
  const sent: Record<string, string[]> = {};
  for (const [name, value] of headers) if (!own.has(name.toLowerCase())) sent[name] = [...(sent[name] ?? []), value];
  const { address, port } = listening;
  const place =
    port === undefined ? { socketPath: address } : { port, host: anyAddress.has(address) ? 'localhost' : address };
  return {
    ...place,
    method,
    path: target,
    agent: false,
    // It is our own child on this machine, and its certificate is for another name.
    rejectUnauthorized: false,
    headers: { ...sent, ...entry.headers, ...(body.byteLength === 0 ? {} : { 'content-length': body.byteLength }) },
  };
}

/** Sends the recorded request and reads the answer to its end; resolves however that goes, for the child reports it. */
function send(listening: Listening, entry: HttpEntry, signal: AbortSignal): Promise<string | undefined> {
  const client = listening.protocol === 'https' ? https : http;
  return new Promise((resolve) => {
    const request = client.request({ ...requestOptions(listening, entry), signal });
    request.on('response', (response) => {
      response.on('error', () => undefined);
      response.on('close', () => resolve(undefined)).resume();
    });
    request.on('error', (error) => resolve(signal.aborted ? undefined : error.message));
    request.end(entry.request.body);
  });
}

function durationMs(fromUnixNano: bigint, toUnixNano: bigint): number {
  return Math.max(0, Number((toUnixNano - fromUnixNano) / 1_000_000n));
}

/** How long the recorded run went on to start crossings after it had answered. */
function tailMs({ recording, root }: HttpEntry): number {
  const starts = subtreeOf(recording, root.spanId).map(({ startTimeUnixNano }) => startTimeUnixNano);
  const tails = starts.map((start) => durationMs(root.endTimeUnixNano, start)).filter((tail) => tail > 0);
  return tails.length === 0 ? 0 : Math.min(Math.max(...tails) + RUN_TAIL_MS, RUN_TAIL_MS_MAX);
}

/** Waits, but not longer than the child lives. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
    if (signal.aborted) resolve();
  });
}

async function enter(entry: HttpEntry, ended: AbortSignal): Promise<string[]> {
  const { directory, request, root } = entry;
  const recordedPort = root.attributes.get(ATTR_NETWORK_LOCAL_PORT);
  const limit = AbortSignal.any([ended, AbortSignal.timeout(LISTEN_MS_MAX)]);
  const listening = await awaitListening(
    directory,
    recordedPort === undefined ? undefined : Number(recordedPort),
    limit,
  );
  if (listening === undefined) {
    const how = ended.aborted ? 'ended before it listened' : `did not listen within ${LISTEN_MS_MAX / 1_000} seconds`;
    return [`The command ${how}, so the recorded request ${request.method} ${request.target} was not sent.`];
  }
  const given = new Set(Object.keys(entry.headers).map((name) => name.toLowerCase()));
  const withheld = request.withheld.filter((name) => !given.has(name));
  const notes = withheld.map(
    (name) => `The request was sent without its recorded ${name}, which was redacted; --header gives it one.`,
  );
  // Whoever gave up waiting then gives up now, too.
  const gaveUp = root.outcome.type === 'aborted' || root.outcome.type === 'pending';
  const patienceMs = Math.min(durationMs(root.startTimeUnixNano, root.endTimeUnixNano) + RUN_TAIL_MS, RUN_TAIL_MS_MAX);
  const signal = gaveUp ? AbortSignal.any([ended, AbortSignal.timeout(patienceMs)]) : ended;
  const failure = await send(listening, entry, signal);
  await pause(gaveUp ? RUN_TAIL_MS : tailMs(entry), ended);
  return failure === undefined ? notes : [...notes, `The recorded request was not answered: ${failure}.`];
}

/**
 * Enters a run by its recorded request: waits until the child listens, sends the request, reads the answer and stops the
 * child. What came of it the child itself reports. Gives notes for the report; never throws for what the child does.
 */
export async function runHttpEntry(entry: HttpEntry, child: ChildProcess, ended: AbortSignal): Promise<string[]> {
  try {
    return await enter(entry, ended);
  } catch (error) {
    return [`The recorded request could not be sent: ${isReenactError(error) ? error.message : String(error)}.`];
  } finally {
    child.kill('SIGTERM');
    const killing = setTimeout(() => child.kill('SIGKILL'), CHILD_STOP_MS_MAX);
    ended.addEventListener('abort', () => clearTimeout(killing), { once: true });
    if (ended.aborted) clearTimeout(killing);
  }
}
