import { bytesOfGroup } from './batch.ts';
import { type BatchGroup, identifyGroup } from './batch-group.ts';

/** A resource or scope, with its name where that is known already. */
type NamedGroup = BatchGroup & { readonly id?: string };

/** An item with what is around it. */
export interface SurroundedItem {
  readonly bytes: Uint8Array;
  readonly resource: NamedGroup | undefined;
  readonly scope: NamedGroup | undefined;
}

/** Adds up the bytes of items that are kept, sent or read together, with those of each resource and scope around them once. */
export class ItemBytes {
  total = 0;
  private readonly byName = new Map<string, number>();
  /** Looked in first: a name can be as long as a schema URL is. */
  private readonly byGroup = new Map<BatchGroup, number>();

  /** Gives the bytes of all items so far. */
  add({ bytes, resource, scope }: SurroundedItem): number {
    this.total += bytes.length + this.take(resource) + this.take(scope);
    return this.total;
  }

  /**
   * Whether another piece is to begin with this item: with it there would be more than so many bytes, and those that stay behind are more than
   * those that come again with it. A piece has at most `bytesMax`, or twice what is around its last item and that item; however large a
   * resource is, items in the order of receipt are cut into pieces of about twice their bytes at most. More than `bytesLimit` are only what that cannot be
   * kept for: an item that is larger with what is around it.
   */
  isFullBefore(
    { bytes, resource, scope }: SurroundedItem,
    bytesMax: number,
    bytesLimit = Number.POSITIVE_INFINITY,
  ): boolean {
    let added = bytes.length;
    let repeated = 0;
    for (const group of resource === scope ? [resource] : [resource, scope]) {
      const known = this.sizeOf(group);
      if (known === undefined && group !== undefined) added += bytesOfGroup(group);
      repeated += known ?? 0;
    }
    const total = this.total + added;
    if (total > bytesLimit && added + repeated <= bytesLimit) return true;
    return total > bytesMax && this.total - repeated > repeated;
  }

  private take(group: NamedGroup | undefined): number {
    if (group === undefined) return 0;
    const known = this.sizeOf(group);
    const size = known ?? bytesOfGroup(group);
    this.byGroup.set(group, size);
    if (known !== undefined) return 0;
    this.byName.set(nameOf(group), size);
    return size;
  }

  /** Undefined where it is not among them yet. */
  private sizeOf(group: NamedGroup | undefined): number | undefined {
    return group === undefined ? undefined : (this.byGroup.get(group) ?? this.byName.get(nameOf(group)));
  }
}

function nameOf(group: NamedGroup): string {
  return group.id ?? identifyGroup(group);
}
