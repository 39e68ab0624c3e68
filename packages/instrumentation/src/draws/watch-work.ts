import type { PatchSet } from '../patching/patch-set.ts';
import type { TimerRecord } from '../run/timer-tape.ts';
import type { OutsideWork } from './outside-work.ts';
import { patchOutsideWork } from './patch-outside-work.ts';
import { workRecorder } from './record-draw.ts';

class WatchedWork implements OutsideWork {
  private readonly keep: () => TimerRecord | undefined;
  private record: TimerRecord | undefined;

  constructor(keep: () => TimerRecord | undefined) {
    this.keep = keep;
  }

  get ordinal(): number | undefined {
    return this.record?.ordinal;
  }

  begin(start: () => void): void {
    // What is refused at once never begins.
    start();
    this.record = this.keep();
  }

  ended(): void {
    this.record?.fired();
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
