import type { EncodedValue } from '@reenact/trace-model';
import { HELD_BACK_CHARACTERS_MAX, HELD_BACK_PIECES_MAX } from '../../limits.ts';

function leaves(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return '';
  return Object.values(value).map(leaves).join('');
}

/** The texts of a value, one behind the other; what cannot be read is one long word. */
function textOf({ payload: { data = '' } }: EncodedValue): string {
  try {
    return leaves(JSON.parse(data));
  } catch {
    return data;
  }
}

/**
 * How many of the last pieces of a stream that goes on say nothing for certain yet: those of a word that may go on in the next piece. Half a secret is known by no
 * rule, and `postgres://user:password` is none before its `@`. A word of more than `HELD_BACK_CHARACTERS_MAX` or `HELD_BACK_PIECES_MAX` is held back so far.
 */
export function heldBack(pieces: readonly { readonly value: EncodedValue }[]): number {
  let characters = 0;
  let held = 0;
  for (let count = 1; count <= Math.min(pieces.length, HELD_BACK_PIECES_MAX); count += 1) {
    const piece = pieces[pieces.length - count];
    const text = piece === undefined ? '' : textOf(piece.value);
    // It ends with what is no part of a word: what comes next begins another.
    if (/\s$/.test(text)) break;
    if (text === '') continue;
    held = count;
    characters += text.length;
    if (/\s/.test(text) || characters >= HELD_BACK_CHARACTERS_MAX) break;
  }
  return held;
}
