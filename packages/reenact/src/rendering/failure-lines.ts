import type { ToldFailedSpan, ToldRunFailure } from '@reenact/trace-model/collector-api';
import { cutTo, paint, type Terminal } from '../terminal/terminal.ts';

/** Columns of a text that is cut, however narrow the terminal is. */
const TEXT_COLUMNS_MIN = 40;

function spanLines(
  words: string,
  { name, spanId, error, status, input }: ToldFailedSpan,
  terminal: Terminal,
): string[] {
  const facts = [
    ['with', error ?? '(it does not say with what)'],
    ['status', status],
    ['given', input],
  ] as const;
  return [
    `${words} ${paint(terminal, 'bad', name)}  ${paint(terminal, 'quiet', spanId)}`,
    ...facts.flatMap(([word, text]) => {
      if (text === undefined) return [];
      const start = `  ${word.padEnd(6)} `;
      return [
        `${paint(terminal, 'quiet', start)}${cutTo(text, Math.max(TEXT_COLUMNS_MIN, terminal.columns - start.length))}`,
      ];
    }),
  ];
}

/** Where a run failed, with what, and what went in there; nothing of one that did not. */
export function failureLines(failure: ToldRunFailure | undefined, terminal: Terminal): string[] {
  if (failure === undefined) return [];
  const { inside } = failure;
  return [
    ...spanLines('failed in', failure, terminal),
    ...(inside === undefined ? [] : spanLines('before that, inside of it, failed', inside, terminal)),
  ];
}
