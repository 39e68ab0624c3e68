import type { OpenCrossing } from '../gate/gate.ts';
import { MICROTASKS_AFTER_TURN_MAX, MICROTASKS_MAX } from '../limits.ts';

const done = Promise.resolve();

/** Boundaries of which a call outlasted a row: they wait for the event loop, and counting as long for each call would be in vain. */
const takesTurns = new WeakSet<object>();

/**
 * Counts rounds of promise reactions until it is stopped. A row of them ends before the event loop turns, so whoever stops it in time
 * has settled in the turn in which it was called.
 */
export class MicrotaskCount {
  private readonly boundary: object;
  private readonly max: number;
  private passed = 0;
  private isStopped = false;

  constructor({ boundary }: Pick<OpenCrossing, 'boundary'>) {
    this.boundary = boundary;
    this.max = takesTurns.has(boundary) ? MICROTASKS_AFTER_TURN_MAX : MICROTASKS_MAX;
  }

  /** To be called right after a call, when whatever waits for it has been added. */
  begin(): void {
    void done.then(this.pass);
  }

  /** How many rounds there were; undefined where there were too many to tell that the event loop has not turned. */
  stop(): number | undefined {
    this.isStopped = true;
    return this.passed < this.max ? this.passed : undefined;
  }

  private readonly pass = (): void => {
    if (this.isStopped) return;
    this.passed += 1;
    if (this.passed < this.max) void done.then(this.pass);
    else takesTurns.add(this.boundary);
  };
}
