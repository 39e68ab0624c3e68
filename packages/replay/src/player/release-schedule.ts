import { pristine, type Release } from '@reenact/instrumentation';
import type { CallShape, Crossing } from '@reenact/trace-model';
import { REACTION_TURNS } from '../limits.ts';
import { type Ordered, OrderedHeap } from './ordered-heap.ts';
import type { RecordedTimeline } from './recorded-timeline.ts';

interface Entry extends Ordered {
  readonly release: () => void;
  /** Real time, in milliseconds, after which it waits for no live crossing any more: it then took as long as recorded. */
  readonly patienceEndsMs: number;
}

const never = new Promise<void>(() => undefined);

function isSynchronous(call: CallShape): boolean {
  return call === 'sync' || call === 'iterator' || call === 'iterable';
}

/**
 * Hands recorded outcomes to the agent in the order in which they reached it when they were recorded, without waiting for
 * real (DESIGN section 6, "time"). One entry is released, then the event loop turns so that what the agent does about it
 * has happened, and may have added entries of its own, before the next. Nothing is held back for what has not been asked
 * for: an agent that waits for real input or output never blocks it, nor it the agent.
 *
 * A crossing that runs live takes real time. While one is running, what was recorded to happen after its end waits for it,
 * so that a race is won as it was; but never longer than it took itself when recorded, so that nothing waits for ever.
 */
export class ReleaseSchedule {
  private readonly timeline: RecordedTimeline;
  private readonly heap = new OrderedHeap<Entry>();
  private state: 'idle' | 'turning' | 'resting' = 'idle';
  private readonly running = new Map<Crossing, number>();
  private restTimer: NodeJS.Timeout | undefined;
  private added = 0;
  private reachedUs = 0;

  constructor(timeline: RecordedTimeline) {
    this.timeline = timeline;
  }

  /** Recorded time of the latest thing that has happened, in microseconds since the run started. */
  get nowUs(): number {
    return this.reachedUs;
  }

  /** A crossing has begun to run live. */
  began(recorded: Crossing): void {
    this.running.set(recorded, this.timeline.settledUs(recorded));
  }

  /** Moves recorded time on: a crossing ended outside the schedule, live or synchronously. */
  advance(recorded: Crossing): void {
    const settledUs = this.timeline.settledUs(recorded);
    if (Number.isFinite(settledUs)) this.reachedUs = Math.max(this.reachedUs, settledUs);
    if (this.running.delete(recorded)) this.wake();
  }

  /** The release of one served crossing; `onFirst` is told when the agent is given the first part of its outcome. */
  releaseOf(recorded: Crossing, onFirst: () => void): Release {
    const settledUs = this.timeline.settledUs(recorded);
    const startUs = this.timeline.startUs(recorded);
    let isFirst = true;
    const tell = (): void => {
      if (isFirst) onFirst();
      isFirst = false;
    };
    if (isSynchronous(recorded.call)) return this.immediate(recorded, tell);
    const enter = async (timeUs: number): Promise<void> => {
      await this.wait(timeUs, recorded.settled ?? Number.MAX_SAFE_INTEGER, (timeUs - startUs) / 1_000);
      tell();
    };
    return {
      at: (offsetUs) => enter(Math.min(startUs + offsetUs, settledUs)),
      settle: () => (Number.isFinite(settledUs) ? enter(settledUs) : never),
    };
  }

  /** A synchronous call has its outcome before it returns: there is nothing to order. */
  private immediate(recorded: Crossing, tell: () => void): Release {
    const settle = (): Promise<void> => {
      this.advance(recorded);
      tell();
      return Promise.resolve();
    };
    return { at: settle, settle };
  }

  private wait(timeUs: number, tie: number, patienceMs: number): Promise<void> {
    return new Promise((resolve) => {
      this.added += 1;
      const patienceEndsMs = pristine.performanceNow() + patienceMs;
      this.heap.push({ timeUs, tie, added: this.added, release: resolve, patienceEndsMs });
      this.wake();
    });
  }

  /** Something has changed: a new entry, or a live crossing that ended. */
  private wake(): void {
    if (this.state === 'turning') return;
    pristine.clearTimeout(this.restTimer);
    this.state = 'turning';
    this.turn(REACTION_TURNS);
  }

  private turn(turnsLeft: number): void {
    pristine.setImmediate(() => {
      if (turnsLeft > 1) this.turn(turnsLeft - 1);
      else this.releaseNext();
    });
  }

  private releaseNext(): void {
    const entry = this.heap.first;
    if (entry === undefined) {
      this.state = 'idle';
      return;
    }
    const restMs = this.isHeldBack(entry) ? entry.patienceEndsMs - pristine.performanceNow() : 0;
    if (restMs > 0) {
      this.state = 'resting';
      this.restTimer = pristine.setTimeout(() => this.wake(), restMs);
      return;
    }
    this.heap.pop();
    this.reachedUs = Math.max(this.reachedUs, entry.timeUs);
    entry.release();
    this.turn(REACTION_TURNS);
  }

  private isHeldBack(entry: Entry): boolean {
    for (const settledUs of this.running.values()) if (settledUs < entry.timeUs) return true;
    return false;
  }
}
