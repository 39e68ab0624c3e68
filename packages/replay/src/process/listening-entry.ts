import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { BEGUN_MARK, type Crossing, isReenactError, type Recording } from '@reenact/trace-model';
import {
  CHILD_STOP_MS_MAX,
  LISTEN_MS_MAX,
  OUTCOME_POLL_MS,
  OUTCOME_WAIT_MS_MAX,
  PORT_PROBE_MS_MAX,
  RUN_TAIL_MS,
  TAIL_LOOK_MS,
} from '../limits.ts';
import { awaitSetUp } from './await-set-up.ts';
import { awaitListening, type Listening, type WantedServer } from './listening-file.ts';
import { ReportCounter } from './report-counter.ts';
import { gaveUp, patienceMs, tailMs } from './send-recorded-request.ts';

/** How a run is entered again that somebody entered by asking a server. */
export interface ListeningEntry {
  readonly recording: Recording;
  readonly root: Crossing;
  /** The replay's directory, where its processes tell where they listen. */
  readonly directory: string;
  /** What is sent, in words: `request POST /ask`. */
  readonly label: string;
  /** The server that is asked. */
  readonly server: WantedServer;
  /** Sends what was recorded and reads the answer to its end; gives what the report must say. Never rejects for what the server does. */
  readonly send: (place: Listening, signal: AbortSignal) => Promise<string[]>;
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

/**
 * Waits until the child has written what came of its run. Its answer leaves a moment before that: a child that is stopped in between
 * would be told of as one that stopped before it had an outcome.
 */
async function awaitOutcome(directory: string, ended: AbortSignal): Promise<void> {
  const outcomes = new ReportCounter(directory, 'outcome', 'replayed');
  const until = performance.now() + OUTCOME_WAIT_MS_MAX;
  while (outcomes.count() === 0 && performance.now() < until && !ended.aborted) await pause(OUTCOME_POLL_MS, ended);
}

/** Waits for what the run went on to do after its answer when it was recorded, until the child says that it is over. */
async function awaitTail(entry: ListeningEntry, ended: AbortSignal): Promise<void> {
  const rested = new ReportCounter(entry.directory, 'rested', 'replayed');
  const until = performance.now() + tailMs(entry);
  while (rested.count() === 0 && performance.now() < until && !ended.aborted) await pause(TAIL_LOOK_MS, ended);
}

/** Says so where the server is one that no replay asks, or the port that the command is likely to want is somebody else's: mostly the very service that was recorded. */
async function unlistenedNote({ root, server: { port } }: ListeningEntry): Promise<string> {
  const begun = root.lossy.find((mark) => mark.startsWith(BEGUN_MARK))?.slice(BEGUN_MARK.length);
  // Its own server has the port, and is not to be stopped.
  if (begun !== undefined)
    return ` It was answered ${begun} when it was recorded, where no replay sends anything: enter the run by its function, with --entry.`;
  if (port === undefined) return '';
  const probe = connect({ port, host: 'localhost', timeout: PORT_PROBE_MS_MAX });
  try {
    await Promise.race([
      once(probe, 'connect'),
      once(probe, 'timeout').then(() => Promise.reject(new Error('timeout'))),
    ]);
    return ` Something else listens on its port ${port}: stop that, or have the command listen on another one.`;
  } catch {
    return '';
  } finally {
    probe.destroy();
  }
}

async function enter(entry: ListeningEntry, ended: AbortSignal): Promise<string[]> {
  const { directory, label, server, root } = entry;
  const limit = AbortSignal.any([ended, AbortSignal.timeout(LISTEN_MS_MAX)]);
  const listening = await awaitListening(directory, server, limit);
  if (listening === undefined) {
    const how = ended.aborted ? 'ended before it listened' : `did not listen within ${LISTEN_MS_MAX / 1_000} seconds`;
    return [`The command ${how}, so the recorded ${label} was not sent.${await unlistenedNote(entry)}`];
  }
  await awaitSetUp(entry, (ms) => pause(ms, ended), ended);
  const hasGivenUp = gaveUp(root);
  const signal = hasGivenUp ? AbortSignal.any([ended, AbortSignal.timeout(patienceMs(root))]) : ended;
  const notes = await entry.send(listening, signal);
  await awaitOutcome(directory, ended);
  if (hasGivenUp) await pause(RUN_TAIL_MS, ended);
  else await awaitTail(entry, ended);
  return notes;
}

/**
 * Enters a run by what was recorded to come in: waits until the child listens, sends it, reads the answer and stops the child.
 * What came of it the child itself reports. Gives notes for the report; never throws for what the child does.
 */
export async function runListeningEntry(
  entry: ListeningEntry,
  child: ChildProcess,
  ended: AbortSignal,
): Promise<string[]> {
  try {
    return await enter(entry, ended);
  } catch (error) {
    return [`The recorded ${entry.label} could not be sent: ${isReenactError(error) ? error.message : String(error)}.`];
  } finally {
    child.kill('SIGTERM');
    const killing = setTimeout(() => child.kill('SIGKILL'), CHILD_STOP_MS_MAX);
    ended.addEventListener('abort', () => clearTimeout(killing), { once: true });
    if (ended.aborted) clearTimeout(killing);
  }
}
