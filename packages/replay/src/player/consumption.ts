import { type Crossing, crossingLabel, isDelivery, isMessageOfProcess, PROCESS_RUN_LABEL } from '@reenact/trace-model';

/** A signal and standard input were for the process, and not for the call around it: nothing of it is delivered where that is served. */
export function isMadeByStub(crossing: Crossing): boolean {
  return isDelivery(crossing) && !isMessageOfProcess(crossing);
}

/** What of a recorded run has been called: met by a call, or covered, as inside of one that was served whole, and not asked for itself. */
export class Consumption {
  private readonly children = new Map<string, Crossing[]>();
  private readonly states = new Map<string, 'covered' | 'met'>();
  private readonly served = new Set<string>();
  /** Per parent, the crossing with the latest recorded start among those met. */
  private readonly latestMet = new Map<string, Crossing>();
  /** Crossings whose code runs, and has not ended. */
  private readonly goingOn = new Set<string>();

  /** Adds a crossing of the run that stands inside of another. */
  add(crossing: Crossing, parentSpanId: string): void {
    const children = this.children.get(parentSpanId);
    if (children === undefined) this.children.set(parentSpanId, [crossing]);
    else children.push(crossing);
  }

  /** The crossings directly inside of one, in the order in which they were added. */
  inside(spanId: string): readonly Crossing[] {
    return this.children.get(spanId) ?? [];
  }

  /** How many crossings have been met or are covered. */
  get size(): number {
    return this.states.size;
  }

  /** Whether it has been met or is covered. */
  has(spanId: string): boolean {
    return this.states.has(spanId);
  }

  isMet(spanId: string): boolean {
    return this.states.get(spanId) === 'met';
  }

  /** Whether a call at a cursor may still meet it. */
  isFree(spanId: string, cursor: string): boolean {
    const state = this.states.get(spanId);
    // A client library that runs over recorded exchanges may still meet what was recorded inside it.
    return state === undefined || (state === 'covered' && this.served.has(cursor));
  }

  /** Whether something inside of it has not been called yet, but for what processes did that were started there. */
  hasLeftInside(spanId: string): boolean {
    const own = this.inside(spanId).filter((child) => crossingLabel(child) !== PROCESS_RUN_LABEL);
    return own.some((child) => !this.has(child.spanId) || this.hasLeftInside(child.spanId));
  }

  /** The crossing with the latest recorded start among those met directly inside of one. */
  latestMetInside(spanId: string): Crossing | undefined {
    return this.latestMet.get(spanId);
  }

  /**
   * A call has met it. `isWhole`: it was served or refused, which covers everything recorded inside of it; else its code runs. `isInOrder`: its
   * turn among those beside it says something.
   */
  meet(recorded: Crossing, isWhole: boolean, isInOrder: boolean): void {
    const { spanId, parentSpanId } = recorded;
    this.states.set(spanId, 'met');
    if (parentSpanId !== undefined && isInOrder) {
      const latest = this.latestMet.get(parentSpanId);
      if (latest === undefined || latest.startTimeUnixNano < recorded.startTimeUnixNano)
        this.latestMet.set(parentSpanId, recorded);
    }
    if (!isWhole) {
      this.goingOn.add(spanId);
      return;
    }
    this.served.add(spanId);
    this.cover(spanId, isMadeByStub);
  }

  /** Another process of the replay has met it, and all inside of it. */
  metElsewhere(spanId: string): void {
    this.states.set(spanId, 'met');
    this.cover(spanId);
  }

  /** Nothing calls it. */
  leaveOut(spanId: string): void {
    this.states.set(spanId, 'covered');
  }

  /** Its code has ended. */
  ended(spanId: string): void {
    this.goingOn.delete(spanId);
  }

  /** Whether its code runs, and has not ended. */
  isGoingOn(spanId: string): boolean {
    return this.goingOn.has(spanId);
  }

  /** `isLeft`: tells what directly inside is still to be met for itself. */
  private cover(spanId: string, isLeft: (inside: Crossing) => boolean = () => false): void {
    const waiting = [spanId];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      for (const child of this.inside(next)) {
        if (next === spanId && isLeft(child)) continue;
        if (!this.has(child.spanId)) this.leaveOut(child.spanId);
        waiting.push(child.spanId);
      }
    }
  }
}
