import type { Crossing } from '@reenact/trace-model';

/**
 * Calls that were made and have still to end. A timer that was recorded to fire after one of them ended does not fire before, however long
 * the agent takes to send what it asks, and to read what it is given.
 */
export class ExpectedEnds {
  private readonly orders = new Map<Crossing, number>();

  /** A recorded call was made, and its outcome will reach the agent. `order`: its number among the events of the run. */
  made(recorded: Crossing, order: number | undefined): void {
    if (order !== undefined && recorded.outcome.type !== 'pending') this.orders.set(recorded, order);
  }

  /** Its outcome is given to the agent now. */
  ended(recorded: Crossing): void {
    this.orders.delete(recorded);
  }

  /** Ends numbered below this are not waited for any more. */
  giveUp(belowOrder: number): void {
    for (const [recorded, order] of this.orders) if (order < belowOrder) this.orders.delete(recorded);
  }

  /** Whether an end with a number below this is still to come. */
  isBefore(order: number): boolean {
    for (const expected of this.orders.values()) if (expected < order) return true;
    return false;
  }
}
