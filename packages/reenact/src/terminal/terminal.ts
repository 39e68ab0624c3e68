import { styleText } from 'node:util';
import { offPair } from '@reenact/trace-model/words';
import { visibleControls } from './visible-controls.ts';

/** Where a command writes: what it found goes to `out`, what it says about its own work to `err`. */
export interface Terminal {
  /** One line or more, with control characters written out (`visibleControls`). */
  readonly out: (text: string) => void;
  /** The same. */
  readonly err: (text: string) => void;
  /** To standard output just as it is: a file that was asked for there. */
  readonly data: (text: string) => void;
  /** Whether `out` is a terminal that wants colour. */
  readonly colour: boolean;
  /** Columns of the terminal, or a sane width in a pipe. */
  readonly columns: number;
  /** Whether what is longer than that is wrapped: by a terminal, not by a pipe. */
  readonly wraps: boolean;
}

/** Styles of the command line, by what they mean. */
export type Style = 'good' | 'bad' | 'warning' | 'quiet' | 'strong' | 'accent';

const formats = {
  good: 'green',
  bad: 'red',
  warning: 'yellow',
  quiet: 'gray',
  strong: 'bold',
  accent: 'cyan',
} as const satisfies Record<Style, Parameters<typeof styleText>[0]>;

/** The real terminal. Colour follows NO_COLOR, FORCE_COLOR and whether anybody is looking. */
export function processTerminal(): Terminal {
  const noColour = (process.env.NO_COLOR ?? '') !== '';
  const forced = (process.env.FORCE_COLOR ?? '0') !== '0';
  const colour = !noColour && (forced || process.stdout.isTTY === true);
  return {
    out: (text) => void process.stdout.write(`${visibleControls(text, colour)}\n`),
    err: (text) => void process.stderr.write(`${visibleControls(text, colour)}\n`),
    data: (text) => void process.stdout.write(text),
    colour,
    // Some say that they have none: a terminal of a build, for one.
    columns: process.stdout.columns > 0 ? process.stdout.columns : 120,
    wraps: process.stdout.columns > 0,
  };
}

/** Styles text where the terminal wants colour. */
export function paint(terminal: Pick<Terminal, 'colour'>, style: Style, text: string): string {
  return terminal.colour ? styleText(formats[style], text, { validateStream: false }) : text;
}

/** Far more characters than a line shows; what is behind them is not looked at. */
export const LOOKED_AT_MAX = 20_000;

/** Cuts text to a width, with an ellipsis where something was cut. */
export function cutTo(text: string, width: number): string {
  const start = text.slice(0, Math.max(LOOKED_AT_MAX, width));
  const line = start.replaceAll(/\s+/g, ' ');
  if (start.length === text.length && line.length <= width) return line;
  const shown = line.slice(0, offPair(line, Math.max(0, width - 1)));
  // In memory of its own: what V8 cuts off a text keeps all of it in memory.
  return `${Buffer.from(shown, 'utf16le').toString('utf16le')}…`;
}

/** Rows as aligned columns; the last column is not padded. */
export function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows)
    row.forEach((cell, index) => {
      widths[index] = Math.max(widths[index] ?? 0, cell.length);
    });
  return rows.map((row) =>
    row.map((cell, index) => (index === row.length - 1 ? cell : cell.padEnd(widths[index] ?? 0))).join('  '),
  );
}

/** Parts on as few lines as they fit on, each behind a margin; a part that is longer than a line has one of its own. */
export function fillLines(parts: readonly string[], margin: string, width: number, between = ' · '): string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const longer = lines.length === 0 ? undefined : `${lines.at(-1)}${between}${part}`;
    if (longer !== undefined && longer.length <= width) lines[lines.length - 1] = longer;
    else lines.push(`${margin}${part}`);
  }
  return lines;
}
