const units = [
  ['k', 1e3],
  ['M', 1e6],
  ['G', 1e9],
] as const;

/** A count below this is shown in full. */
const EXACT_BELOW = 10_000;

/** A count that stands among others: `1316`, `12.3k`, `4.5M`. */
export function shownCount(count: number): string {
  if (count < EXACT_BELOW) return String(count);
  const figures = units.map(([name, size]) => [(count / size).toFixed(1), name] as const);
  // By the figure as it is rounded: 999,960 is 1M, for a thousand k are none.
  const [figure, name] = figures.find(([rounded]) => Number(rounded) < 1000) ?? [(count / 1e9).toFixed(1), 'G'];
  return `${figure.replace(/\.0$/, '')}${name}`;
}
