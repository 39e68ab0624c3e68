import type { ChildProcess } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import type { StampedEvent } from '../events/replay-event.ts';
import { AFTER_RUN_MS_MAX, COMMAND_STOP_MS_MAX, LEFT_COMMAND_LOOK_MS } from '../limits.ts';
import { isGone } from './is-gone.ts';
import { gatherReports, reportedBytes } from './replay-directory.ts';

/** What is looked for. */
export interface LeftCommandOptions {
  /** The replay's. */
  readonly directory: string;
  /** Path of the replayed run's root. */
  readonly path: string;
  /** What is run, in words. */
  readonly command: string;
  readonly onNote: (text: string) => void;
  /** How long it may go on. Default: `AFTER_RUN_MS_MAX`. */
  readonly afterRunMsMax?: number | undefined;
}

/** A worker thread reports for itself: `<process>-<thread>`. */
function isAlive(processId: string): boolean {
  return !isGone(Number(processId.split('-', 1)[0]));
}

/** Whether processes had a part in any run, and each of them has ended. */
export function haveEnded(events: readonly StampedEvent[]): boolean {
  const busy = events.filter(({ event }) => event.type === 'met' || event.type === 'outcome');
  return busy.length > 0 && !Array.from(new Set(busy.map(({ processId }) => processId))).some(isAlive);
}

/** Whether the run has told how it ended, and each process that had a part in any run has ended, too. */
function isOver(events: readonly StampedEvent[], path: string): boolean {
  if (!events.some(({ event, run }) => event.type === 'outcome' && event.path === path && run === undefined))
    return false;
  return haveEnded(events);
}

/** Resolves once the run has been over for as long as its command may go on; rejects where the command ends before. */
async function overFor(options: LeftCommandOptions, ended: AbortSignal): Promise<void> {
  const { directory, path, afterRunMsMax = AFTER_RUN_MS_MAX } = options;
  let events: readonly StampedEvent[] | undefined;
  let bytes = 0;
  let sinceMs = performance.now();
  for (;;) {
    await wait(Math.min(LEFT_COMMAND_LOOK_MS, afterRunMsMax), undefined, { signal: ended });
    const before = bytes;
    bytes = reportedBytes(directory);
    // Whatever still reports has something to do; what it reported is read once it says nothing more.
    if (bytes !== before) events = undefined;
    else events ??= gatherReports(directory).events;
    if (events === undefined || !isOver(events, path)) sinceMs = performance.now();
    if (performance.now() - sinceMs >= afterRunMsMax) return;
  }
}

async function stop(child: ChildProcess, ended: AbortSignal): Promise<void> {
  child.kill('SIGTERM');
  await wait(COMMAND_STOP_MS_MAX, undefined, { signal: ended });
  child.kill('SIGKILL');
}

/**
 * Stops a command that goes on although the processes of the run, which it started, have ended: what restarts a program whenever a file
 * of it changes, such as `node --watch`, waits for that for ever.
 */
export function stopLeftCommand(
  options: LeftCommandOptions,
): (child: ChildProcess, ended: AbortSignal) => Promise<void> {
  return async (child, ended) => {
    try {
      await overFor(options, ended);
      const seconds = Math.round((options.afterRunMsMax ?? AFTER_RUN_MS_MAX) / 1_000);
      options.onNote(
        `The process of ${options.path} had ended, and "${options.command}" went on for ${seconds} seconds: it was stopped there.`,
      );
      await stop(child, ended);
    } catch {
      // The command has ended, or its directory cannot be read: the report will say what there is to say.
    }
  };
}
