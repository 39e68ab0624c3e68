import { context as contexts } from '@opentelemetry/api';
import { guarded } from '../host/report-failure.ts';
import { ANSWERS_MAX } from '../limits.ts';
import type { PatchSet } from '../patching/patch-set.ts';
import { type CrossingScope, scopeOf } from '../run/crossing-scope.ts';
import { answersKey, ChannelOrdinals } from './channel-ordinals.ts';
import { IdentifiedQuestions, repliesKey } from './identified-questions.ts';
import { type AnswerListener, patchAnswers } from './patch-answers.ts';
import { patchResources, type ResourceEntry, type ResourceListener } from './patch-resources.ts';
import { type Heard, PoolThreads, unplaced } from './pool-threads.ts';
import { workRecorder } from './record-draw.ts';
import { entriesKey, ResourceOrdinals } from './resource-ordinals.ts';

/** The code that asked over a channel last, or that made a resource. */
interface Asker {
  /** Undefined where it stands in no run. */
  readonly scope: CrossingScope | undefined;
  /** Keeps that something has come. */
  heard(): Heard;
}

/** Code of no run, which stands in that of the process where there is one. */
const noRun = {};

class RecordedAnswers implements AnswerListener, ResourceListener {
  private readonly askers = new WeakMap<object, Asker>();
  private readonly ordinals = new ChannelOrdinals();
  private readonly resources = new ResourceOrdinals();
  private readonly replies = new ResourceOrdinals();
  private readonly questions = new IdentifiedQuestions<Asker>();
  private readonly kept = new WeakMap<object, number>();
  /** Those of runs that go on. */
  private readonly asking = new Set<CrossingScope>();
  /** What is being handed on, and what code has taken itself since. */
  private handed: Heard | undefined;
  private taken: Heard | undefined;
  /** Over which channel that came. */
  private handedOver: object | undefined;
  private takenOver: object | undefined;
  private readonly pools = new PoolThreads();

  asked(channel: object, message?: unknown): void {
    const scope = scopeOf(contexts.active());
    // A pool hands on what waits in its queue, from where it is told that a thread is free.
    if (scope === undefined && this.isOfOnlyRun(channel)) return;
    const asker = this.askerHere((place) => answersKey(this.ordinals.of(place, channel)));
    if (asker === undefined) {
      this.askers.delete(channel);
      return;
    }
    if (scope !== undefined && !this.asking.has(scope)) {
      this.forgetEnded();
      this.asking.add(scope);
    }
    this.askers.set(channel, asker);
    const asking = (): Asker | undefined => this.askerHere((place) => repliesKey(this.replies.next(place, 'question')));
    this.questions.asked(scope ?? noRun, channel, message, asking);
  }

  private askerHere(keyIn: (place: object) => string): Asker | undefined {
    const active = contexts.active();
    const scope = scopeOf(active);
    const place = scope ?? noRun;
    const keep = workRecorder(keyIn(place));
    if (keep === undefined) return undefined;
    const count = (by: number): number => {
      const kept = (this.kept.get(place) ?? 0) + by;
      this.kept.set(place, kept);
      return kept;
    };
    const heard = (): Heard => {
      if (scope?.hasEnded === true || (this.kept.get(place) ?? 0) >= ANSWERS_MAX) return unplaced;
      count(1);
      const record = contexts.with(active, keep);
      record?.fired();
      const withdraw = (): void => {
        count(-1);
        record?.withdrawn();
      };
      return { withdraw };
    };
    return { scope, heard };
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

  lent(port: object, thread: object, script: string): void {
    this.pools.lent(port, thread, script);
  }

  came(channel: object, hand: () => void, message?: unknown): void {
    const [before, overBefore] = [this.handed, this.handedOver];
    this.handed = this.heardOver(channel, message);
    this.handedOver = channel;
    this.taken = undefined;
    try {
      hand();
    } finally {
      this.handed = before;
      this.handedOver = overBefore;
      this.taken = undefined;
    }
  }

  polled(channel: object, take: () => unknown): unknown {
    const taken = take();
    this.takenOver = channel;
    this.taken = taken === undefined ? undefined : this.heardOver(channel, (taken as { message?: unknown }).message);
    return taken;
  }

  private heardOver(channel: object, message: unknown): Heard {
    if (this.pools.includes(channel)) return unplaced;
    const heard = guarded('keeping when an answer came', () => this.askerOf(channel, message)?.heard(), undefined);
    this.pools.heard(channel, heard ?? unplaced);
    return heard ?? unplaced;
  }

  /** Who asked what is answered; where that cannot be told, who asked last. */
  private askerOf(channel: object, message: unknown): Asker | undefined {
    return this.questions.answeredBy([noRun, ...this.asking], channel, message) ?? this.askers.get(channel);
  }

  behind(_channel: object, hand: () => void): void {
    hand();
  }

  made(type: string): ResourceEntry | undefined {
    const maker = this.askerHere((place) => entriesKey(type, this.resources.next(place, type)));
    if (maker === undefined) return undefined;
    return (below) => {
      guarded('keeping for whom an answer was', () => this.entered(maker), undefined);
      return below();
    };
  }

  /** What has come is for who made the resource: who has asked last over the channel is the pool for somebody else, or another run. */
  private entered(maker: Asker): void {
    const came = this.taken ?? this.handed;
    if (came === undefined) return;
    this.pools.answered(this.taken === undefined ? this.handedOver : this.takenOver);
    came.withdraw();
    maker.heard();
    if (this.taken !== undefined) this.taken = unplaced;
    else this.handed = unplaced;
  }
}

/**
 * Keeps, for the run that asks a worker thread, a port or a child process that is told by messages, where what these say came in the order of the run's events (docs/adr/0047). What
 * is heard, and when, stays as it is.
 */
export function watchAnswers(patches: PatchSet): void {
  const answers = new RecordedAnswers();
  patchAnswers(patches, answers);
  patchResources(patches, answers);
}
