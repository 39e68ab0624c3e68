import { isatty } from 'node:tty';

const STDOUT = 1;
const size = { columns: 80, rows: 24 };

/**
 * Has `process.stdout` say that it is a terminal where it was one when this was recorded and is none now: by that programs choose whether they read keys or
 * lines. Without colours.
 */
export function showAsTerminal(): void {
  if (isatty(STDOUT)) return;
  const said = {
    ...{ isTTY: true, ...size, getWindowSize: () => [size.columns, size.rows] },
    ...{ getColorDepth: () => 1, hasColors: () => false },
  };
  for (const [name, value] of Object.entries(said))
    Object.defineProperty(process.stdout, name, { value, configurable: true, writable: true, enumerable: true });
}
