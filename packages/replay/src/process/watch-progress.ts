import { setTimeout as wait } from 'node:timers/promises';
import { PROGRESS_POLL_MS } from '../limits.ts';
import { ReportCounter } from './report-counter.ts';
import type { Companion } from './run-child.ts';

/** How far a replay has come. */
export interface ReplayProgress {
  /** Calls that were answered so far, in all processes of the replay. */
  readonly met: number;
  /** Crossings recorded, of the run and of what is replayed with it; those inside served ones are never met. */
  readonly recorded: number;
}

/**
 * Tells every `pollMs` how far the replay in a directory has come, as long as its command runs. A failure to look is no failure of
 * the replay.
 */
export function watchProgress(
  directory: string,
  recorded: number,
  onProgress: (progress: ReplayProgress) => void,
  pollMs = PROGRESS_POLL_MS,
): Companion {
  return async (_child, ended) => {
    const counter = new ReportCounter(directory, 'met');
    try {
      for (;;) {
        await wait(pollMs, undefined, { signal: ended });
        onProgress({ met: counter.count('all'), recorded });
      }
    } catch {
      // The command has ended, or its directory cannot be read: the report will say what there is to say.
    }
  };
}
