import type { Message } from './message.ts';

/** What a model was asked beside what it was asked by the call before. */
export interface AskedSince {
  /** How many messages, at the beginning and at the end of both, are the same. */
  readonly same: number;
  readonly added: readonly Message[];
  /** Messages of the call before that are asked no more. */
  readonly removed: readonly Message[];
}

/** A conversation grows at its end; where it was cut or summed up, what was so stands between what stayed at its beginning and at its end. */
export function askedSince(before: readonly Message[], asked: readonly Message[]): AskedSince {
  const [earlier, later] = [before, asked].map((messages) => messages.map((message) => JSON.stringify(message)));
  const most = Math.min(before.length, asked.length);
  let start = 0;
  while (start < most && earlier?.[start] === later?.[start]) start += 1;
  let end = 0;
  while (end < most - start && earlier?.at(-1 - end) === later?.at(-1 - end)) end += 1;
  return {
    same: start + end,
    added: asked.slice(start, asked.length - end),
    removed: before.slice(start, before.length - end),
  };
}
