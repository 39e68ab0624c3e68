import type { Divergence } from '@reenact/trace-model';

/** Divergences that say the same of calls of one name. */
export interface AlikeGroup<Found> {
  readonly first: Found;
  /** The others, in their order. */
  readonly alike: readonly Divergence[];
}

const ordinal = /#\d+$/;

/** Equal for divergences that say the same, values that differ included. */
function sayingOf(divergence: Divergence): string {
  const { kind, path, message, next, causedBy, source, service, difference, differenceTotal, ambiguous } = divergence;
  const place = path.replace(ordinal, '');
  const words = [message.split(path), next.split(path)];
  return JSON.stringify([kind, place, words, causedBy, source, service, difference, differenceTotal, ambiguous]);
}

/**
 * Gathers what says the same, in the order in which the first of each came: an agent that stopped leaves hundreds of calls
 * unmade, and a changed prompt changes each of hundreds. `mayJoin`: whether one may be told with another; each may by default.
 */
export function gatherAlike(
  divergences: readonly Divergence[],
  mayJoin: (divergence: Divergence) => boolean = () => true,
): AlikeGroup<Divergence>[] {
  const groups: { first: Divergence; alike: Divergence[] }[] = [];
  const bySaying = new Map<string, { alike: Divergence[] }>();
  for (const divergence of divergences) {
    const saying = sayingOf(divergence);
    const known = bySaying.get(saying);
    if (known !== undefined && divergence.stale === undefined && mayJoin(divergence)) known.alike.push(divergence);
    else {
      const group = { first: divergence, alike: [] };
      groups.push(group);
      if (known === undefined) bySaying.set(saying, group);
    }
  }
  return groups;
}

/** Which others it is true of as well, in one sentence; empty where it is of none. */
export function alikeText({ alike }: Pick<AlikeGroup<unknown>, 'alike'>): string {
  const [first, last] = [alike[0], alike.at(-1)];
  if (first === undefined || last === undefined) return '';
  if (first === last) return `The same is true of one more: ${first.path} (${first.id}).`;
  return `The same is true of ${alike.length} more, from ${first.path} (${first.id}) to ${last.path} (${last.id}).`;
}
