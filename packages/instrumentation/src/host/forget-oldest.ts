/**
 * Makes room where more than `countMax` keys are remembered: the oldest go, an eighth of them at a time. A map or set passes over all that
 * was deleted before it comes to its first key, so that to forget one for each that is added takes as long as there are many.
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
