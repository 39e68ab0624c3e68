import type { QueuedBatch } from '../store/store.ts';
import { writtenItem } from './write-batch.ts';

type Entry = QueuedBatch['entries'][number];
type Content = 'slim' | 'full';

/** What is queued beside an item that was refused, of the same resource and scope. */
interface Beside {
  /** At least as large as what was refused. */
  readonly hopeless: readonly Entry[];
  /** The smallest of the others: where it is refused, too, none of them has to be tried. */
  readonly next: Entry | undefined;
}

/**
 * An item that a destination refused as too large though it came alone. Where most of that is its resource, which hundreds of others share,
 * a try of each of them would be a request of that size each.
 */
export class RefusedAlone {
  readonly reason: string;
  private readonly content: Content;
  private readonly group: string;
  private readonly bytes: number;
  /** What is queued behind this is tried again: a destination may take more by then. */
  private lastQueueId: number | undefined;

  constructor({ signal, entries: [entry] }: QueuedBatch, content: Content, reason: string, before?: RefusedAlone) {
    this.content = content;
    this.reason = reason;
    this.group = groupOf(signal, entry);
    this.bytes = entry === undefined ? 0 : bytesOf(signal, entry, content);
    this.lastQueueId = before?.lastQueueId;
  }

  /** What of a batch goes with it; undefined where nothing does. */
  beside({ signal, entries }: QueuedBatch): Beside | undefined {
    this.lastQueueId ??= entries.at(-1)?.queueId ?? 0;
    const { lastQueueId, group } = this;
    const alike = entries
      .filter((entry) => entry.queueId <= lastQueueId && entry.item !== undefined && groupOf(signal, entry) === group)
      .map((entry) => ({ entry, bytes: bytesOf(signal, entry, this.content) }))
      .sort((one, other) => one.bytes - other.bytes);
    if (alike.length === 0) return undefined;
    const hopeless = alike.filter(({ bytes }) => bytes >= this.bytes).map(({ entry }) => entry);
    return { hopeless, next: hopeless.length < alike.length ? alike[0]?.entry : undefined };
  }
}

/** A destination may take another size of another signal. */
function groupOf(signal: QueuedBatch['signal'], entry: Entry | undefined): string {
  return `${signal} ${entry?.item?.resource.id} ${entry?.item?.scope.id}`;
}

/** The size in which it would be sent; 0 of what cannot be. */
function bytesOf(signal: QueuedBatch['signal'], { item }: Entry, content: Content): number {
  const written = item === undefined ? undefined : writtenItem(signal, item, content);
  return written?.ok === true ? written.bytes.length : 0;
}
