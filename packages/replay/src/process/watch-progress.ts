import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { PROGRESS_POLL_MS } from '../limits.ts';
import type { Companion } from './run-child.ts';

/** How far a replay has come. */
export interface ReplayProgress {
  /** Calls that were answered so far, in all processes of the replay. */
  readonly met: number;
  /** Crossings recorded below the root; those inside served ones are never met. */
  readonly recorded: number;
}

const metEvent = Buffer.from('"type":"met"');
const partBytes = 1 << 20;

/** Counts what the processes of a replay report, reading each byte once. */
class ReportCounter {
  private readonly directory: string;
  private readonly read = new Map<string, number>();
  private met = 0;

  constructor(directory: string) {
    this.directory = directory;
  }

  count(): number {
    for (const name of readdirSync(this.directory)) if (name.startsWith('report-')) this.countIn(name);
    return this.met;
  }

  private countIn(name: string): void {
    const descriptor = openSync(join(this.directory, name), 'r');
    try {
      const part = Buffer.alloc(partBytes);
      for (;;) {
        const from = this.read.get(name) ?? 0;
        const bytes = part.subarray(0, readSync(descriptor, part, 0, partBytes, from));
        // What stands in the last line may still be written.
        const lastLine = bytes.lastIndexOf(10) + 1;
        // A line that fills the part is read on in the next: what is counted stands in short ones.
        const end = lastLine === 0 && bytes.length === partBytes ? partBytes : lastLine;
        if (end === 0) return;
        const lines = bytes.subarray(0, end);
        for (let at = lines.indexOf(metEvent); at !== -1; at = lines.indexOf(metEvent, at + 1)) this.met += 1;
        this.read.set(name, from + end);
      }
    } finally {
      closeSync(descriptor);
    }
  }
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
    const counter = new ReportCounter(directory);
    try {
      for (;;) {
        await wait(pollMs, undefined, { signal: ended });
        onProgress({ met: counter.count(), recorded });
      }
    } catch {
      // The command has ended, or its directory cannot be read: the report will say what there is to say.
    }
  };
}
