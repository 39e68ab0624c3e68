import { setTimeout as wait } from 'node:timers/promises';
import type { StampedEvent } from '../events/replay-event.ts';
import { IDLE_MS, STARTED_LOOK_MS } from '../limits.ts';
import { isGone } from './is-gone.ts';
import { gatherReports, reportedBytes } from './replay-directory.ts';

/** Whose processes are waited for. */
export interface StartedProcessesOptions {
  /** The replay's. */
  readonly directory: string;
  /** Path of the replayed run's root. */
  readonly path: string;
  /** Whether one that goes on may still do what the report is of, as far as the processes have reported. */
  readonly isMissed: (events: readonly StampedEvent[]) => boolean;
  readonly onNote: (text: string) => void;
  /** How long they may go on and report nothing, milliseconds. Default: `IDLE_MS`. */
  readonly idleMs?: number | undefined;
}

/** Resolves with whether all is done; false: something was left, and nothing was reported for as long as that may be. */
async function done(options: StartedProcessesOptions): Promise<boolean> {
  const { directory, idleMs = IDLE_MS } = options;
  let bytes = -1;
  let started: readonly number[] = [];
  let isLeft = false;
  let sinceMs = performance.now();
  for (;;) {
    const before = bytes;
    bytes = reportedBytes(directory);
    if (bytes !== before) {
      const { events } = gatherReports(directory);
      started = events.flatMap(({ event }) => (event.type === 'started' ? [event.number] : []));
      isLeft = options.isMissed(events);
      sinceMs = performance.now();
    }
    if (!isLeft) return true;
    // One that has ended may have started another one before.
    if (started.every(isGone) && reportedBytes(directory) === bytes) return true;
    if (performance.now() - sinceMs >= idleMs) return false;
    await wait(STARTED_LOOK_MS);
  }
}

/**
 * Waits, once the command of a replay has ended, for processes that the run started and did not wait for (`detached` and `unref()`), while the report may still be of what they do. Never
 * throws.
 */
export async function awaitStartedProcesses(options: StartedProcessesOptions, ended: AbortSignal): Promise<void> {
  const { path, idleMs = IDLE_MS, onNote } = options;
  if (!ended.aborted) await new Promise((resolve) => void ended.addEventListener('abort', resolve, { once: true }));
  try {
    if (await done(options)) return;
    const seconds = Math.round(idleMs / 1_000);
    onNote(
      `A process that ${path} had started went on after the command, and called nothing for ${seconds} seconds: the replay ended without it.`,
    );
  } catch {
    // The directory cannot be read: the report will say what there is to say.
  }
}
