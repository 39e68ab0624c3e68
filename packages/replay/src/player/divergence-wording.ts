import { type Crossing, changesTheWorld, crossingLabel, type JsonDiff, type SourceLine } from '@reenact/trace-model';

/** What a divergence says to people, and what to do next. */
export interface Wording {
  readonly message: string;
  readonly next: string;
}

function places(difference: JsonDiff): string {
  const first = difference.entries[0]?.path ?? '$';
  return difference.total === 1
    ? `it differs at ${first}`
    : `it differs in ${difference.total} places, first at ${first}`;
}

/** A call with another input than recorded. */
export function inputChanged(recorded: Crossing, path: string, difference: JsonDiff, isServed: boolean): Wording {
  const served = isServed ? ' What was served belongs to the recorded input.' : '';
  const label = crossingLabel(recorded);
  const first = difference.entries[0]?.path ?? '$';
  const restore = `Find what changed the value at ${first}`;
  const tryLive = isServed && !changesTheWorld(recorded.effect);
  return {
    message: `${path} was called with another input than recorded: ${places(difference)}.${served}`,
    next: tryLive ? `${restore}, or see what the new input gives with --live ${label}.` : `${restore}.`,
  };
}

/** A call that was recorded somewhere else in the run. */
export function moved(recorded: Crossing, path: string): Wording {
  return {
    message: `${path} was called with exactly the input that was recorded at ${recorded.path}, and got that outcome.`,
    next: 'Record a new run if the call was moved on purpose; else call it from where it was recorded.',
  };
}

/** A call that came after a sibling which had been recorded to begin only when this one had ended. */
export function reordered(recorded: Crossing, overtakenBy: Crossing): Wording {
  return {
    message: `${recorded.path} was recorded to end before ${overtakenBy.path} began, but was called after it.`,
    next: 'Find what changed the order of the two calls; record a new run if that was on purpose.',
  };
}

/** How to run a call for real; never suggested for code that changes the world. */
function orLive(recorded: Crossing | undefined, words: string): string {
  return recorded === undefined || changesTheWorld(recorded.effect)
    ? ''
    : `, ${words} --live ${crossingLabel(recorded)}`;
}

/** A call for which nothing was recorded at this place. */
export function neverRecorded(path: string, label: string, closest: Crossing | undefined): Wording {
  const near = closest === undefined ? '' : ` The closest recorded crossing is ${closest.path}.`;
  const isElsewhere = closest !== undefined && crossingLabel(closest) === label;
  return {
    message: `${path} was never recorded here.${near}`,
    next: isElsewhere
      ? `Pass the input recorded at ${closest.path}${orLive(closest, 'let its code run with')}, or record a new run.`
      : 'Take the call out, or record a new run that makes it.',
  };
}

/** One call more than was recorded. */
export function exhausted(path: string, recorded: Crossing | undefined, label: string, recordedCount: number): Wording {
  const times = recordedCount === 1 ? 'once' : `${recordedCount} times`;
  return {
    message: `${path} is one call too many: ${label} was recorded ${times} here, and each has been met.`,
    next: `Find what added the call, such as a retry or a loop${orLive(recorded, 'or let every call of it run with')}.`,
  };
}

/** One more run in a process that replays one. */
export function anotherRun(path: string, root: Crossing): Wording {
  return {
    message: `${path} is another run: this replay is of one run of ${crossingLabel(root)}, which has begun already.`,
    next: 'Start only the recorded run, or replay it from code with replay({ recording, run }).',
  };
}

/** More was asked of one served crossing than it holds. */
export function exhaustedInside(path: string, detail: string): Wording {
  return {
    message: `${path} was asked for more than was recorded: ${detail.replace(/\.$/, '')}.`,
    next: 'Find what asks for more, such as another retry or a longer read of the stream.',
  };
}

/** A call that the plan forbids. */
export function forbidden(path: string, label: string, source: SourceLine | undefined): Wording {
  const place = source === undefined ? '' : ` at ${source.file}:${source.line}`;
  return {
    message: `${path} was called, and the plan forbids it.`,
    next: `Take out the call${place}, or drop --forbid ${label}.`,
  };
}

/** A crossing whose recorded payload cannot be trusted. */
export function damaged(recorded: Crossing): Wording {
  return {
    message: `The recording of ${recorded.path} is damaged: ${recorded.damage.join('; ')}.`,
    next: 'Get the recording again with `reenact export <id> --out <file>`.',
  };
}

/** A crossing of which too little was recorded to answer with. */
export function cold(recorded: Crossing, missing: string): Wording {
  return {
    message: `${recorded.path} cannot be answered: ${missing}.`,
    next: `Record this boundary with capture: "full"${orLive(recorded, 'or let its code run with')}.`,
  };
}

/** A live crossing that ended in another way than recorded. */
export function outputChanged(recorded: Crossing, difference: JsonDiff): Wording {
  return {
    message: `${recorded.path} ran and ended differently: ${places(difference)}.`,
    next: 'Check that this is what the changed code should give; record a new run to see where it leads.',
  };
}

/** The run itself ended in another way than recorded. */
export function outcomeChanged(root: Crossing, difference: JsonDiff): Wording {
  return {
    message: `The run ${root.path} ended differently: ${places(difference)}.`,
    next: 'Look at the first cause above; without one, the code between the crossings has changed.',
  };
}
