import type { DivergenceEvent } from '../events/replay-event.ts';

/** The crossing's kind and name, and what encloses it: `agent:a/tool:look#2` is `agent:a/tool:look`. */
function withoutNumber(path: string): string {
  return path.replace(/#\d+$/, '');
}

/** Whether `later` asked for just what `earlier` was recorded to ask for, in every place in which that differs. */
function asksForThat(earlier: DivergenceEvent, later: DivergenceEvent): boolean {
  const { difference: missed = [], differenceTotal: total } = earlier;
  if (later.kind !== 'input-changed' || withoutNumber(later.path) !== withoutNumber(earlier.path)) return false;
  if (missed.length === 0 || missed.length !== total) return false;
  return missed.every(({ path, recorded }) =>
    later.difference?.some((entry) => entry.path === path && recorded !== undefined && entry.live === recorded),
  );
}

/**
 * Says of a call with another input that it seems to be one more than was recorded: a later one asked for what stands recorded here, so each
 * was compared with the one before its own. Undefined where nothing tells so. `later`: what differed after it.
 */
export function addedCallAdvice(first: DivergenceEvent, later: readonly DivergenceEvent[]): string | undefined {
  if (first.kind !== 'input-changed') return undefined;
  const taker = later.find((event) => asksForThat(first, event));
  return taker === undefined
    ? undefined
    : `${taker.path} asked for what was recorded here, so ${first.path} seems to be one call more than was recorded, and those after it were each compared with the one before. Leave it out, or record a new run if it was added on purpose.`;
}

/** Says of a call at `path`, which was answered in its turn, that another one asked for that and was given it. */
export function takenBackAdvice(path: string): string {
  return `A later call asked for exactly what was recorded here and was given it, so this one, at ${path}, seems to be one more than was recorded. Leave it out, or record a new run if it was added on purpose.`;
}
