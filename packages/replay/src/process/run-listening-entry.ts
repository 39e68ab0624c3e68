import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { BEGUN_MARK, isReenactError } from '@reenact/trace-model';
import { CHILD_STOP_MS_MAX, LISTEN_MS_MAX, PORT_PROBE_MS_MAX } from '../limits.ts';
import { inStartOrder } from '../recorded/in-start-order.ts';
import type { Pace } from '../time/schedule/pace.ts';
import { awaitSetUp } from './await-set-up.ts';
import { EntrySender, pause } from './entry-sender.ts';
import type { ListeningEntry } from './listening-entry.ts';
import { awaitListening } from './listening-file.ts';
import { type EntryBeside, sendInTurn } from './send-in-turn.ts';
import { stopLeftServers } from './stop-left-servers.ts';

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

/** What is entered, and what was sent to the same process beside it. */
export interface EntryInTurn {
  readonly entry: ListeningEntry;
  readonly beside: readonly EntryBeside[];
  readonly pace: Pace | undefined;
  /** Told right before the command is stopped: what others still do then, they do because of that. */
  readonly stopping?: () => void;
}

async function enter({ entry, beside, pace }: EntryInTurn, ended: AbortSignal): Promise<string[]> {
  const { directory, label, server } = entry;
  const limit = AbortSignal.any([ended, AbortSignal.timeout(LISTEN_MS_MAX)]);
  const listening = await awaitListening(directory, server, limit);
  if (listening === undefined) {
    const how = ended.aborted ? 'ended before it listened' : `did not listen within ${LISTEN_MS_MAX / 1_000} seconds`;
    return [`The command ${how}, so the recorded ${label} was not sent.${await unlistenedNote(entry)}`];
  }
  const [first = entry.root] = inStartOrder([entry.root, ...beside.map(({ run }) => run.root)]);
  await awaitSetUp({ ...entry, first }, (ms) => pause(ms, ended), ended);
  const sender = new EntrySender(directory, ended);
  return sendInTurn({ entry, place: listening, beside, pace, sender, ended });
}

/**
 * Enters a run by what was recorded to come in: waits until the child listens, sends it in its turn, reads the answer, and stops the child
 * with the servers that it leaves.
 * What came of it the child itself reports. Gives notes for the report; never throws for what the child does.
 */
export async function runListeningEntry(
  entered: EntryInTurn,
  child: ChildProcess,
  ended: AbortSignal,
): Promise<string[]> {
  try {
    return await enter(entered, ended);
  } catch (error) {
    return [
      `The recorded ${entered.entry.label} could not be sent: ${isReenactError(error) ? error.message : String(error)}.`,
    ];
  } finally {
    entered.stopping?.();
    child.kill('SIGTERM');
    const killing = setTimeout(() => child.kill('SIGKILL'), CHILD_STOP_MS_MAX);
    ended.addEventListener('abort', () => clearTimeout(killing), { once: true });
    if (ended.aborted) clearTimeout(killing);
    await stopLeftServers(child, entered.entry.directory, CHILD_STOP_MS_MAX);
  }
}
