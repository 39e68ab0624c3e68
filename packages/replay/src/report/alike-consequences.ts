import type { Divergence } from '@reenact/trace-model';

/** Consequences that say the same of calls of one name. */
export interface ConsequenceGroup {
  readonly first: Divergence;
  /** The others, in their order. */
  readonly alike: readonly Divergence[];
}

const ordinal = /#\d+$/;

/** Equal for consequences that say the same; undefined for one that says something of its own, such as which values differ. */
function sayingOf({ kind, path, message, next, causedBy, difference, source, stale }: Divergence): string | undefined {
  if (difference !== undefined || source !== undefined || stale !== undefined) return undefined;
  return JSON.stringify([kind, path.replace(ordinal, ''), message.split(path), next.split(path), causedBy]);
}

/** Gathers consequences that say the same, in the order in which the first of each came: an agent that stopped leaves hundreds of calls unmade. */
export function gatherAlike(consequences: readonly Divergence[]): ConsequenceGroup[] {
  const groups: { first: Divergence; alike: Divergence[] }[] = [];
  const bySaying = new Map<string, { alike: Divergence[] }>();
  for (const consequence of consequences) {
    const saying = sayingOf(consequence);
    const known = saying === undefined ? undefined : bySaying.get(saying);
    if (known !== undefined) known.alike.push(consequence);
    else {
      const group = { first: consequence, alike: [] };
      groups.push(group);
      if (saying !== undefined) bySaying.set(saying, group);
    }
  }
  return groups;
}

/** Which others it is true of as well, in one sentence; empty where it is of none. */
export function alikeText({ alike }: ConsequenceGroup): string {
  const [first, last] = [alike[0], alike.at(-1)];
  if (first === undefined || last === undefined) return '';
  if (first === last) return `The same is true of one more: ${first.path} (${first.id}).`;
  return `The same is true of ${alike.length} more, from ${first.path} (${first.id}) to ${last.path} (${last.id}).`;
}
