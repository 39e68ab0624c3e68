import type { EventSink } from '../events/event-sink.ts';
import type { ForbiddenEffect } from '../guard/guarded-player.ts';
import { FORBIDDEN_EFFECTS_MAX } from '../limits.ts';

/** Reports the effects that the guard refused, each once and not too many. */
export class ForbiddenReport {
  private readonly sink: EventSink;
  private readonly reported = new Set<string>();

  constructor(sink: EventSink) {
    this.sink = sink;
  }

  /** Reports one; the same at the same line is reported once. `path`: where in the run; `recordedAtUs`: how far that had got. */
  report({ message, next, source, happened }: ForbiddenEffect, path: string, recordedAtUs: number): void {
    const key = `${path}\n${message}\n${source?.file ?? ''}:${source?.line ?? ''}`;
    if (this.reported.has(key) || this.reported.size > FORBIDDEN_EFFECTS_MAX) return;
    this.reported.add(key);
    if (this.reported.size > FORBIDDEN_EFFECTS_MAX) {
      const text = `More than ${FORBIDDEN_EFFECTS_MAX} different effects were refused; the others are not listed.`;
      this.sink.write({ type: 'note', text, unverified: false });
      return;
    }
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
}
