import {
  type Crossing,
  crossingLabel,
  parseSelector,
  type Recording,
  type Selector,
  type SelectorTarget,
  selectorMatches,
} from '@reenact/trace-model';
import { setUpCrossings } from '../recorded/with-set-up.ts';

/** What a selector names. */
export interface SelectedCrossings {
  readonly selector: Selector;
  /** In recorded order; empty where it names nothing. */
  readonly matched: readonly Crossing[];
}

function targetsOf(recording: Recording): Map<Crossing, SelectorTarget> {
  const counts = new Map<string, number>();
  const targets = new Map<Crossing, SelectorTarget>();
  // A set-up is counted after the run, so that the occurrences of the run are the same with and without one.
  for (const crossing of new Set([...recording.crossings, ...setUpCrossings(recording, undefined)])) {
    const label = crossingLabel(crossing);
    const occurrence = (counts.get(label) ?? 0) + 1;
    counts.set(label, occurrence);
    const { kind, name, spanId, path } = crossing;
    targets.set(crossing, { kind, name, spanId, path, occurrence });
  }
  return targets;
}

/**
 * Finds among some crossings of a recording those that a selector names; occurrences are counted in the whole recording. What
 * it gives throws ReenactError `bad-plan` for a selector that cannot be read.
 */
export function selectedIn(
  crossings: readonly Crossing[],
  recording: Recording,
): (selector: string) => SelectedCrossings {
  let targets: Map<Crossing, SelectorTarget> | undefined;
  return (text) => {
    const selector = parseSelector(text);
    targets ??= targetsOf(recording);
    const known = targets;
    const matched = crossings.filter((crossing) => {
      const target = known.get(crossing);
      return target !== undefined && selectorMatches(selector, target);
    });
    return { selector, matched };
  };
}
