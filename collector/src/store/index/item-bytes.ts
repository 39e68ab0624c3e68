import { bytesOfGroup } from '../log/batch.ts';
import type { StoredGroup, StoredItem } from '../store.ts';

/** Adds up the bytes of items that are read together, with those of each resource and scope around them once. */
export class ItemBytes {
  total = 0;
  private readonly groups = new Set<string>();

  /** Gives the bytes of all items so far. */
  add({ bytes, resource, scope }: StoredItem): number {
    this.total += bytes.length + this.ofNew(resource) + this.ofNew(scope);
    return this.total;
  }

  private ofNew(group: StoredGroup): number {
    if (this.groups.has(group.id)) return 0;
    this.groups.add(group.id);
    return bytesOfGroup(group);
  }
}
