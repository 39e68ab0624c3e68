/**
 * Makes room where more than `countMax` keys are remembered: the oldest go, an eighth of them at a time. One by one would be slow, because a map or
 * set passes over everything that was deleted on the way to its first key.
 */
export function forgetOldest<Key>(remembered: Map<Key, unknown> | Set<Key>, countMax: number): void {
  if (remembered.size <= countMax) return;
  let surplus = Math.max(Math.floor(countMax / 8), 1);
  for (const key of remembered.keys()) {
    remembered.delete(key);
    surplus -= 1;
    if (surplus === 0) return;
  }
}
