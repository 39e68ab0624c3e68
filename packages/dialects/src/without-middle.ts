import { type Crossing, crossingLabel } from '@reenact/trace-model';
import { SET_UP_END_CROSSINGS_MAX, SET_UP_REPEATS_MAX } from './limits.ts';

function byKey(crossings: readonly Crossing[], key: (crossing: Crossing) => string): Map<string, Crossing[]> {
  const groups = new Map<string, Crossing[]>();
  for (const crossing of crossings) {
    const group = groups.get(key(crossing));
    if (group === undefined) groups.set(key(crossing), [crossing]);
    else group.push(crossing);
  }
  return groups;
}

function earliest(crossings: readonly (Crossing | undefined)[]): bigint {
  const starts = crossings.map((crossing) => crossing?.startTimeUnixNano ?? 0n);
  return starts.toSorted((left, right) => (left < right ? -1 : 1))[0] ?? 0n;
}

/**
 * A set-up without the middle of what a process polled for days: how that began is kept, and how it stood last before the run. Of the time between,
 * only what was called a few times is, for what else was called is likely to depend on a poll that is gone. `spanId`: the run of the process.
 */
export function withoutMiddle(crossings: readonly Crossing[], spanId: string): readonly Crossing[] {
  const direct = crossings.filter(({ parentSpanId }) => parentSpanId === spanId);
  const byIdentity = byKey(direct, (crossing) => `${crossingLabel(crossing)}\n${crossing.input?.digest ?? ''}`);
  const polls = [...byIdentity.values()].filter(({ length }) => length > SET_UP_REPEATS_MAX);
  if (polls.length === 0) return crossings;
  const until = earliest(polls.map((group) => group[SET_UP_REPEATS_MAX / 2 - 1]));
  const latest = direct.at(-SET_UP_END_CROSSINGS_MAX)?.startTimeUnixNano ?? 0n;
  const lastPolls = earliest(polls.map((group) => group.at(-SET_UP_REPEATS_MAX / 2)));
  const from = lastPolls > latest ? lastPolls : latest;
  const lastOfEach = new Set(polls.map((group) => group.at(-1)));
  const byLabel = byKey(direct, crossingLabel);
  return crossings.filter((crossing) => {
    const { parentSpanId, startTimeUnixNano } = crossing;
    if (parentSpanId !== spanId || startTimeUnixNano <= until || startTimeUnixNano >= from) return true;
    return lastOfEach.has(crossing) || (byLabel.get(crossingLabel(crossing))?.length ?? 0) <= SET_UP_REPEATS_MAX;
  });
}
