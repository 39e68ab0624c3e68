import type { PatchSet } from '../patching/patch-set.ts';
import type { TimerRecord } from '../run/timer-tape.ts';
import type { OutsideWork } from './outside-work.ts';
import { patchOutsideWork } from './patch-outside-work.ts';
import { workRecorder } from './record-draw.ts';

class WatchedWork implements OutsideWork {
  private readonly keep: () => TimerRecord | undefined;
  private record: TimerRecord | undefined;
  private isBeginning = false;

  constructor(keep: () => TimerRecord | undefined) {
    this.keep = keep;
  }

  get ordinal(): number | undefined {
    return this.record?.ordinal;
  }

  begin(start: () => void): void {
    // It is kept first: what it calls at once may begin work of its own.
    this.record = this.keep();
    this.isBeginning = true;
    try {
      start();
    } catch (thrown) {
      this.record?.cancelled();
      throw thrown;
    } finally {
      this.isBeginning = false;
    }
  }

  ended(): void {
    // What is over when its function returns went nowhere: it has no number, so that a replay begins it at once.
    if (this.isBeginning) this.record?.cancelled();
    else this.record?.fired();
  }

  left(): void {
    this.record?.cancelled();
  }
}

/**
 * Keeps, for the run around each call, where work outside JavaScript ended in the order of the run's events (docs/adr/0047): compression, files, and
 * cryptography. What it gives, calls and throws stays as it is.
 */
export function watchWork(patches: PatchSet): void {
  patchOutsideWork(patches, (name) => {
    const keep = workRecorder(name);
    return keep === undefined ? undefined : new WatchedWork(keep);
  });
}
