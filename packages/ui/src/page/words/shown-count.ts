const units = [
  [1e9, 'G'],
  [1e6, 'M'],
  [1e4, 'k'],
] as const;

/** A count that stands among others: `1316`, `12.3k`, `4.5M`. */
export function shownCount(count: number): string {
  for (const [size, name] of units) {
    if (count < size) continue;
    const divisor = name === 'k' ? 1e3 : size;
    return `${(count / divisor).toFixed(1).replace(/\.0$/, '')}${name}`;
  }
  return String(count);
}
