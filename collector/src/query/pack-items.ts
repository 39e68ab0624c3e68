import type { StoredGroup, StoredItem } from '../store/store.ts';

/**
 * Spans or log records in memory of their own that can move to another thread. What a store gives are views of whatever it keeps in its
 * caches, all of which would be copied along.
 */
export function packItems<Item extends StoredItem>(
  items: readonly Item[],
): {
  readonly items: readonly Item[];
  readonly memory: ArrayBuffer;
} {
  const groups = new Set(items.flatMap(({ resource, scope }) => [resource, scope]));
  const parts: readonly { readonly bytes: Uint8Array }[] = [...items, ...groups];
  const memory = new ArrayBuffer(parts.reduce((sum, { bytes }) => sum + bytes.length, 0));
  let at = 0;
  const move = (bytes: Uint8Array): Uint8Array => {
    const moved = new Uint8Array(memory, at, bytes.length);
    moved.set(bytes);
    at += bytes.length;
    return moved;
  };
  const moved = new Map<StoredGroup, StoredGroup>();
  for (const group of groups) moved.set(group, { ...group, bytes: move(group.bytes) });
  const packed = items.map((item) => ({
    ...item,
    bytes: move(item.bytes),
    resource: moved.get(item.resource) ?? item.resource,
    scope: moved.get(item.scope) ?? item.scope,
  }));
  return { items: packed, memory };
}
