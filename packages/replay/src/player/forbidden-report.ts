import type { Crossing } from '@reenact/trace-model';
import type { EventSink } from '../events/event-sink.ts';
import type { ForbiddenEffect } from '../guard/guarded-player.ts';
import { FORBIDDEN_EFFECTS_MAX } from '../limits.ts';
import { forbiddenAfterTheRun } from './divergence-wording.ts';

/** Reports the effects that the guard refused, each once and not too many. */
export class ForbiddenReport {
  private readonly sink: EventSink;
  private readonly reported = new Set<string>();
  /** Counted for themselves: as many as there are, none of them keeps a divergence from being told. */
  private readonly noted = new Set<string>();

  constructor(sink: EventSink) {
    this.sink = sink;
  }

  /** Reports one; the same at the same line is reported once. `path`: where in the run; `recordedAtUs`: how far that had got. */
  report(effect: ForbiddenEffect, path: string, recordedAtUs: number): void {
    const { message, next, source, happened } = effect;
    if (!this.isNew(effect, path, this.reported)) return;
    this.sink.write({
      type: 'divergence',
      kind: 'forbidden',
      message,
      next,
      path,
      ...(source === undefined ? {} : { source }),
      recordedAtUs,
      takesEffect: 'at-once',
      insideAtOnce: true,
      ...(happened === true ? { happened } : {}),
    });
  }

  /** Notes one that code of no run attempted once all runs had ended: it is refused all the same, and is no part of what is compared. */
  reportBehind(effect: ForbiddenEffect, root: Crossing): void {
    if (!this.isNew(effect, root.path, this.noted)) return;
    const text = forbiddenAfterTheRun(effect, root);
    this.sink.write({ type: 'note', text, unverified: false, afterRun: true });
  }

  private isNew({ message, source }: ForbiddenEffect, path: string, told: Set<string>): boolean {
    const key = `${path}\n${message}\n${source?.file ?? ''}:${source?.line ?? ''}`;
    if (told.has(key) || told.size > FORBIDDEN_EFFECTS_MAX) return false;
    told.add(key);
    if (told.size <= FORBIDDEN_EFFECTS_MAX) return true;
    const text = `More than ${FORBIDDEN_EFFECTS_MAX} different effects were refused; the others are not listed.`;
    this.sink.write({ type: 'note', text, unverified: false });
    return false;
  }
}
