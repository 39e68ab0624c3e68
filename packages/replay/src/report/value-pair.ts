import { offPair } from '@reenact/trace-model';
import { RENDERED_VALUE_CHARACTERS_MAX } from '../limits.ts';

function commonStart(left: string, right: string): number {
  let index = 0;
  while (index < left.length && index < right.length && left[index] === right[index]) index += 1;
  return index;
}

function window(text: string, from: number): string {
  const start = text.length <= RENDERED_VALUE_CHARACTERS_MAX ? 0 : from;
  const end = start + RENDERED_VALUE_CHARACTERS_MAX;
  return `${start > 0 ? '…' : ''}${text.slice(offPair(text, start), offPair(text, end))}${end < text.length ? '…' : ''}`;
}

/** Two differing values cut to what fits on a line each, around the place where they first differ. */
export function valuePair(
  recorded: string | undefined,
  live: string | undefined,
): { readonly recorded: string; readonly live: string } {
  const absent = '(absent)';
  const from = Math.max(0, commonStart(recorded ?? '', live ?? '') - 20);
  return {
    recorded: recorded === undefined ? absent : window(recorded, from),
    live: live === undefined ? absent : window(live, from),
  };
}
