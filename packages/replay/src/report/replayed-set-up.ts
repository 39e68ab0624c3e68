import {
  type Crossing,
  crossingLabel,
  isMessageOfProcess,
  type Recording,
  type ReplayedCrossing,
  type ReplayedSetUp,
} from '@reenact/trace-model';
import { setUpLinkOf, setUpOf } from '@reenact/trace-model/reading';
import { SET_UP_PATHS_MAX } from '../limits.ts';

/** Crossings directly in the run of the process that no call was answered from, but for repeats of one that was. */
function notMade(direct: readonly Crossing[], met: ReadonlySet<string>): Crossing[] {
  const identityOf = (crossing: Crossing): string => `${crossingLabel(crossing)}\n${crossing.input?.digest ?? ''}`;
  // A flag that is polled every minute is set up when it has been read once.
  const made = new Set(direct.filter(({ spanId }) => met.has(spanId)).map(identityOf));
  const missing = new Map<string, Crossing>();
  for (const crossing of direct) {
    const identity = identityOf(crossing);
    if (!made.has(identity) && !missing.has(identity)) missing.set(identity, crossing);
  }
  return [...missing.values()];
}

/** Tells the calls outside of the run from those of the run. */
export function isOutsideRun(recording: Recording, rootSpanId: string): (path: string) => boolean {
  const prefix = setUpOf(recording, rootSpanId)?.processRun.path;
  return (path) => prefix !== undefined && path.startsWith(`${prefix}/`);
}

/** What a replay met, as far as its set-up is told from it. */
export interface MetCalls {
  readonly crossings: readonly ReplayedCrossing[];
  /** Those of `crossings` that were met before the run had ended, or all where it did not. */
  readonly beforeEnd: readonly ReplayedCrossing[];
}

/** Where not all that was recorded is held, a call that was answered before may have been recorded as often. */
function calledBeyond(calls: readonly ReplayedCrossing[], areSomeNotHeld: boolean): number {
  const met = new Set(calls.map(({ recordedSpanId }) => recordedSpanId).filter((id) => id !== undefined));
  return areSomeNotHeld ? 0 : calls.length - met.size;
}

/** What became of the set-up of a run; undefined where none was recorded. */
export function replayedSetUp(
  recording: Recording,
  rootSpanId: string,
  { crossings, beforeEnd }: MetCalls,
): ReplayedSetUp | undefined {
  const link = setUpLinkOf(recording, rootSpanId);
  if (link === undefined) return undefined;
  const { traceId, spanId, count } = link;
  const setUp = setUpOf(recording, rootSpanId);
  const inside = setUp?.crossings.filter((crossing) => crossing.parentSpanId === spanId) ?? [];
  const direct = inside.filter((crossing) => !isMessageOfProcess(crossing));
  const isOutside = isOutsideRun(recording, rootSpanId);
  // What goes on beside the run, and what closes or polls on after it, is none of the set-up.
  const later = [...(setUp?.beside ?? []), ...(setUp?.afterwards ?? [])];
  const laterIds = new Set<string | undefined>(later.map((crossing) => crossing.spanId));
  const ofSetUp = beforeEnd.filter(({ path, recordedSpanId }) => isOutside(path) && !laterIds.has(recordedSpanId));
  const recordedCount = count - (inside.length - direct.length);
  const answers = ofSetUp.map(({ answer }) => answer);
  const answered = (answer: ReplayedCrossing['answer']): number => answers.filter((given) => given === answer).length;
  const met = new Set(crossings.map(({ recordedSpanId }) => recordedSpanId).filter((id) => id !== undefined));
  const missing = notMade(direct, met);
  return {
    traceId,
    spanId,
    recorded: recordedCount,
    held: direct.length,
    unrecorded: calledBeyond(ofSetUp, recordedCount > direct.length),
    stubbed: answered('stub'),
    live: answered('live') + answered('rerun'),
    refused: answered('refused'),
    notMade: missing.slice(0, SET_UP_PATHS_MAX).map(({ path }) => path),
    notMadeTotal: missing.length,
  };
}
