import type { RecordedTimeline } from '@reenact/recordings';
import { type Crossing, isInputBefore, type Recording } from '@reenact/trace-model';
import { OrderedHeap } from './ordered-heap.ts';

interface Expected {
  readonly timeUs: number;
  readonly tie: number;
  readonly added: number;
  readonly crossing: Crossing;
}

/**
 * Recorded calls that code which runs again has still to make. A timer that is due later than the start of one of them did
 * not fire before that call when it was recorded, so it does not now: whatever the agent is doing in between.
 */
export class ExpectedCalls {
  private readonly timeline: RecordedTimeline;
  private readonly children = new Map<string, Crossing[]>();
  private readonly waiting = new OrderedHeap<Expected>();
  private readonly over = new Set<Crossing>();
  /** By parent, how many of its first calls are over: looked at again with each that begins, they would cost more the longer a run is. */
  private readonly passed = new Map<string, number>();
  private givenUpUs = Number.NEGATIVE_INFINITY;
  private added = 0;

  constructor(recording: Recording, timeline: RecordedTimeline) {
    this.timeline = timeline;
    for (const crossing of recording.crossings) {
      // It has come before, and nothing makes it.
      if (isInputBefore(crossing)) continue;
      const siblings = this.children.get(crossing.parentSpanId ?? '');
      if (siblings === undefined) this.children.set(crossing.parentSpanId ?? '', [crossing]);
      else siblings.push(crossing);
    }
  }

  /** A recorded call was made; `runs`: its code runs again, so that the calls inside it are expected now. */
  made(recorded: Crossing, runs: boolean): void {
    this.over.add(recorded);
    if (!runs) return;
    for (const crossing of this.children.get(recorded.spanId) ?? []) {
      this.added += 1;
      this.waiting.push({ timeUs: this.timeline.startUs(crossing), tie: 0, added: this.added, crossing });
    }
  }

  /** A call has begun below this crossing that is made once all of it is known: the first that it may be is not waited for. Gives that one. */
  begun(parentSpanId: string, { kind, name }: Pick<Crossing, 'kind' | 'name'>): Crossing | undefined {
    const isOver = (crossing: Crossing | undefined): boolean => crossing !== undefined && this.over.has(crossing);
    const siblings = this.children.get(parentSpanId) ?? [];
    let at = this.passed.get(parentSpanId) ?? 0;
    while (isOver(siblings[at])) at += 1;
    this.passed.set(parentSpanId, at);
    for (; at < siblings.length; at += 1) {
      const sibling = siblings[at];
      if (sibling?.kind !== kind || sibling.name !== name || isOver(sibling)) continue;
      this.over.add(sibling);
      return sibling;
    }
    return undefined;
  }

  /** A crossing whose code ran has ended: what it has not called it never will, but for what it left behind to call later. */
  ended(recorded: Crossing): void {
    const endUs = this.timeline.settledUs(recorded);
    for (const crossing of this.children.get(recorded.spanId) ?? [])
      if (this.timeline.startUs(crossing) <= endUs) this.over.add(crossing);
  }

  /** Calls recorded to start before this are not waited for any more. */
  giveUp(untilUs: number): void {
    this.givenUpUs = Math.max(this.givenUpUs, untilUs);
  }

  /** The recorded start of the earliest call that is still expected; infinite where there is none. */
  get earliestUs(): number {
    for (;;) {
      const first = this.waiting.first;
      if (first === undefined) return Number.POSITIVE_INFINITY;
      if (!this.over.has(first.crossing) && first.timeUs >= this.givenUpUs) return first.timeUs;
      this.waiting.pop();
    }
  }
}
