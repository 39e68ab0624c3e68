import type { Crossing } from '@reenact/trace-model';

/**
 * Which recorded signals the listeners of a process have heard. One that came while several runs went on is recorded in each of them, and comes once
 * all the same.
 */
export class RaisedSignals {
  private readonly raised = new Set<string>();

  /** Whether this one is to be heard: once for each. */
  take({ name, startTimeUnixNano }: Pick<Crossing, 'name' | 'startTimeUnixNano'>): boolean {
    const key = `${name} ${startTimeUnixNano}`;
    if (this.raised.has(key)) return false;
    this.raised.add(key);
    return true;
  }
}
