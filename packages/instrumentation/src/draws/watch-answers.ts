import { context as contexts } from '@opentelemetry/api';
import { guarded } from '../host/report-failure.ts';
import { ANSWERS_MAX } from '../limits.ts';
import type { PatchSet } from '../patching/patch-set.ts';
import { type CrossingScope, scopeOf } from '../run/crossing-scope.ts';
import { answersKey, ChannelOrdinals } from './channel-ordinals.ts';
import { type AnswerListener, patchAnswers } from './patch-answers.ts';
import { workRecorder } from './record-draw.ts';

/** The code that asked over a channel last. */
interface Asker {
  /** Undefined where it stands in no run. */
  readonly scope: CrossingScope | undefined;
  /** Keeps that something has come. */
  heard(): void;
}

/** Code of no run, which stands in that of the process where there is one. */
const noRun = {};

class RecordedAnswers implements AnswerListener {
  private readonly askers = new WeakMap<object, Asker>();
  private readonly ordinals = new ChannelOrdinals();
  private readonly kept = new WeakMap<object, number>();
  /** Those of runs that go on. */
  private readonly asking = new Set<CrossingScope>();

  asked(channel: object): void {
    const active = contexts.active();
    const scope = scopeOf(active);
    // A pool hands on what waits in its queue, from where it is told that a thread is free.
    if (scope === undefined && this.isOfOnlyRun(channel)) return;
    const place = scope ?? noRun;
    const keep = workRecorder(answersKey(this.ordinals.of(place, channel)));
    if (keep === undefined) {
      this.askers.delete(channel);
      return;
    }
    if (scope !== undefined && !this.asking.has(scope)) {
      this.forgetEnded();
      this.asking.add(scope);
    }
    const heard = (): void => {
      const count = (this.kept.get(place) ?? 0) + 1;
      if (scope?.hasEnded === true || count > ANSWERS_MAX) return;
      this.kept.set(place, count);
      contexts.with(active, () => keep()?.fired());
    };
    this.askers.set(channel, { scope, heard });
  }

  /** Whether the run that asked over this channel is the only one that has asked anything and goes on. */
  private isOfOnlyRun(channel: object): boolean {
    this.forgetEnded();
    const run = this.askers.get(channel)?.scope?.run;
    return run !== undefined && this.asking.size > 0 && [...this.asking].every((other) => other.run === run);
  }

  private forgetEnded(): void {
    for (const scope of this.asking) if (scope.hasEnded === true) this.asking.delete(scope);
  }

  came(channel: object, hand: () => void): void {
    this.heardOver(channel);
    hand();
  }

  polled(channel: object, take: () => unknown): unknown {
    const taken = take();
    if (taken !== undefined) this.heardOver(channel);
    return taken;
  }

  private heardOver(channel: object): void {
    guarded('keeping when an answer came', () => this.askers.get(channel)?.heard(), undefined);
  }

  behind(_channel: object, hand: () => void): void {
    hand();
  }
}

/**
 * Keeps, for the run that asks a worker thread, a port or a child process that is told by messages, where what these say came in the order of the run's events (docs/adr/0047). What
 * is heard, and when, stays as it is.
 */
export function watchAnswers(patches: PatchSet): void {
  patchAnswers(patches, new RecordedAnswers());
}
