import type { QueuedBatch } from '../store/store.ts';

/**
 * A request that a destination refused for something in it. It is sent in halves, and each that is refused in halves again, down to the single item,
 * as long as there are splits left; what is refused after that is given up as it is. Items are named by where they end in the queue and not held:
 * one that is deleted meanwhile must not be sent.
 */
export class RefusedTogether {
  /** The last of each part that is left, of the next one behind all others. */
  private readonly ends: number[] = [];
  private splitsLeft: number;
  private isAsked = false;
  private isTaken = false;

  constructor(splitsMax: number) {
    this.splitsLeft = splitsMax;
  }

  /** Whether the destination took any part. */
  get hasTaken(): boolean {
    return this.isTaken;
  }

  /** What of the oldest in the queue is the next part; undefined where nothing of what was refused is left. */
  partOf(batch: QueuedBatch): QueuedBatch | undefined {
    const first = batch.entries[0]?.queueId ?? Number.POSITIVE_INFINITY;
    let end = this.ends.at(-1);
    while (end !== undefined && end < first) {
      this.ends.pop();
      end = this.ends.at(-1);
    }
    const last = end;
    return last === undefined
      ? undefined
      : { ...batch, entries: batch.entries.filter(({ queueId }) => queueId <= last) };
  }

  /** Parts what was refused; false where it is to be given up. */
  split({ entries }: QueuedBatch): boolean {
    const middle = entries[Math.ceil(entries.length / 2) - 1];
    const last = entries.at(-1);
    if (this.splitsLeft === 0 || entries.length < 2 || middle === undefined || last === undefined) return false;
    this.splitsLeft -= 1;
    if (this.ends.at(-1) !== last.queueId) this.ends.push(last.queueId);
    this.ends.push(middle.queueId);
    return true;
  }

  /** Notes that a part was taken. */
  take(): void {
    this.isTaken = true;
  }

  /** Whether to ask, once, if the destination refuses whatever it is sent: nothing was taken yet, down to a single item. */
  shouldAsk(): boolean {
    const isNews = !this.isTaken && !this.isAsked;
    this.isAsked = true;
    return isNews;
  }

  /** Splits no more. */
  giveUp(): void {
    this.splitsLeft = 0;
  }
}
