import type { ChildProcess } from 'node:child_process';
import { ATTR_NETWORK_LOCAL_PORT } from '@reenact/semconv/core';
import { type Crossing, isReenactError, type Recording } from '@reenact/trace-model';
import { CHILD_STOP_MS_MAX, LISTEN_MS_MAX, RUN_TAIL_MS } from '../limits.ts';
import { awaitListening } from './listening-file.ts';
import type { RecordedRequest } from './recorded-request.ts';
import { gaveUp, patienceMs, sendRecordedRequest, tailMs, withheldNotes } from './send-recorded-request.ts';

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
  const notes = withheldNotes(request, entry.headers);
  const hasGivenUp = gaveUp(root);
  const signal = hasGivenUp ? AbortSignal.any([ended, AbortSignal.timeout(patienceMs(root))]) : ended;
  // It is our own child on this machine, and its certificate is for another name.
  const place = { ...listening, verifiesCertificate: false };
  const failure = await sendRecordedRequest({ place, request, headers: entry.headers, signal });
  await pause(hasGivenUp ? RUN_TAIL_MS : tailMs(entry), ended);
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
