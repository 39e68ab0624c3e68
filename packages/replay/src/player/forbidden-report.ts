import type { Crossing } from '@reenact/trace-model';
import type { EventSink } from '../events/event-sink.ts';
import type { ForbiddenEffect } from '../guard/guarded-player.ts';
import { FORBIDDEN_BESIDE_MAX, FORBIDDEN_EFFECTS_MAX } from '../limits.ts';
import { forbiddenAfterTheRun, forbiddenInThread, forbiddenOutsideTheRun } from './divergence-wording.ts';

/** Reports the effects that the guard refused, each once and not too many. */
export class ForbiddenReport {
  private readonly sink: EventSink;
  private readonly reported = new Set<string>();
  /** Counted for themselves: as many as there are, none of them keeps a divergence from being told. */
  private readonly noted = new Set<string>();
  private readonly besides = new Set<string>();

  constructor(sink: EventSink) {
    this.sink = sink;
  }

  /** Reports one; the same at the same line is reported once. `path`: where in the run; `recordedAtUs`: how far that had got. */
  report(effect: ForbiddenEffect, path: string, recordedAtUs: number): void {
    if (this.isNew(effect, path, this.reported)) this.write(effect, path, recordedAtUs, {});
  }

  /** Reports one that code of no run attempted while this one went on, or before: where that goes as recorded all the same, it is a note. */
  reportOutside(effect: ForbiddenEffect, when: 'before' | 'beside', root: Crossing, recordedAtUs: number): void {
    if (!this.isNew(effect, root.path, this.besides, FORBIDDEN_BESIDE_MAX)) return;
    const message = forbiddenOutsideTheRun(effect, when, root);
    this.write({ ...effect, message }, root.path, recordedAtUs, { beside: true });
  }

  /** Reports one of a worker thread that no run has asked for anything, as that of a logger: where the run goes as recorded all the same, it is a note. */
  reportOfThread(effect: ForbiddenEffect, path: string): void {
    if (!this.isNew(effect, path, this.besides, FORBIDDEN_BESIDE_MAX)) return;
    this.write({ ...effect, message: forbiddenInThread(effect) }, path, 0, { beside: true });
  }

  private write(
    { message, next, source, happened }: ForbiddenEffect,
    path: string,
    recordedAtUs: number,
    more: { readonly beside?: true },
  ): void {
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
      ...more,
    });
  }

  /** Notes one that was attempted behind the run, by code of it that went on or of none: it is refused all the same, and is no part of what is compared. */
  reportBehind(effect: ForbiddenEffect, root: Crossing): void {
    if (!this.isNew(effect, root.path, this.noted)) return;
    const text = forbiddenAfterTheRun(effect, root);
    this.sink.write({ type: 'note', text, unverified: false, afterRun: true });
  }

  private isNew(
    { message, source }: ForbiddenEffect,
    path: string,
    told: Set<string>,
    max = FORBIDDEN_EFFECTS_MAX,
  ): boolean {
    const key = `${path}\n${message}\n${source?.file ?? ''}:${source?.line ?? ''}`;
    if (told.has(key) || told.size > max) return false;
    told.add(key);
    if (told.size <= max) return true;
    const text = `More than ${max} different effects were refused; the others are not listed.`;
    this.sink.write({ type: 'note', text, unverified: false });
    return false;
  }
}
