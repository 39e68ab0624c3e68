import type { ComparedStep } from '@reenact/trace-model/collector-api';

/** One line of a comparison: a crossing, or several in a row that are equal and have nothing inside that differs. */
export type StepLine =
  | { readonly type: 'step'; readonly step: ComparedStep; readonly place: number }
  | { readonly type: 'equal'; readonly steps: readonly ComparedStep[]; readonly place: number };

/** So many equal crossings in a row are shown as they are. */
const EQUAL_SHOWN_MAX = 2;

function isDifferent({ status, moved }: ComparedStep): boolean {
  return status !== 'equal' || moved === true;
}

/** By place: whether a crossing differs, or something inside of it does. */
function concerned(steps: readonly ComparedStep[]): boolean[] {
  const found = steps.map(isDifferent);
  // By depth: whether what was seen at it, and is inside of the next one around, has a difference.
  const inside: boolean[] = [];
  for (let place = steps.length - 1; place >= 0; place -= 1) {
    const depth = steps[place]?.depth ?? 0;
    const isConcerned = found[place] === true || inside[depth + 1] === true;
    found[place] = isConcerned;
    inside.length = depth + 1;
    inside[depth] = inside[depth] === true || isConcerned;
  }
  return found;
}

/** The lines of a comparison: what is around a difference stays in sight, equal crossings in a row are one line unless it was opened (by its place). */
export function visibleSteps(steps: readonly ComparedStep[], opened: ReadonlySet<number>): StepLine[] {
  const kept = concerned(steps);
  const lines: StepLine[] = [];
  for (let place = 0; place < steps.length; ) {
    let end = place;
    while (end < steps.length && kept[end] === false && end > 0) end += 1;
    const equal = steps.slice(place, end);
    if (equal.length > EQUAL_SHOWN_MAX && !opened.has(place)) {
      lines.push({ type: 'equal', steps: equal, place });
      place = end;
      continue;
    }
    for (const last = Math.max(end, place + 1); place < last; place += 1) {
      const step = steps[place];
      if (step !== undefined) lines.push({ type: 'step', step, place });
    }
  }
  return lines;
}
