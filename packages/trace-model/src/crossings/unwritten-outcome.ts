import type { Crossing } from './crossing.ts';

const SIZE = /;(\d+)$/;

/**
 * What a crossing came to that had ended, in words, where its process ended before that was on the disk: its host had it, and the recording has its digest
 * alone. Undefined of any other crossing.
 */
export function unwrittenOutcome({ outcome }: Pick<Crossing, 'outcome'>): string | undefined {
  if (outcome.type !== 'pending' || outcome.unwritten === undefined) return undefined;
  const { what, digest } = outcome.unwritten;
  const bytes = Number(SIZE.exec(digest)?.[1] ?? 0).toLocaleString('en-US');
  return `its ${what} of ${bytes} bytes was not on the disk yet when its process ended (digest ${digest})`;
}
