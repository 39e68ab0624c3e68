const units = [
  ['MB', 1e6],
  ['kB', 1e3],
] as const;

/** A size in short: `640 bytes`, `12.3 kB`, `4.5 MB`. */
export function shownBytes(bytes: number): string {
  const unit = units.find(([, size]) => bytes >= size);
  return unit === undefined ? `${bytes} bytes` : `${(bytes / unit[1]).toFixed(1)} ${unit[0]}`;
}
