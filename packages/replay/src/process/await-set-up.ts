import type { Crossing, Recording } from '@reenact/trace-model';
import { setUpOf } from '@reenact/trace-model/reading';
import { SET_UP_LOOK_MS, SET_UP_MS_MAX, SET_UP_QUIET_MS, SET_UP_REACTION_MS } from '../limits.ts';
import { ReportCounter } from './report-counter.ts';

/** Whose set-up is waited for. */
export interface AwaitedSetUp {
  readonly recording: Recording;
  readonly root: Crossing;
  /** The replay's directory, where its processes tell what they met. */
  readonly directory: string;
}

/** How many calls the process had made, and heard the end of, before the run began when that was recorded. */
function callsBefore({ recording, root }: AwaitedSetUp): number {
  const setUp = setUpOf(recording, root.spanId);
  if (setUp === undefined) return 0;
  return setUp.crossings.filter(
    ({ parentSpanId, outcome, endTimeUnixNano }) =>
      parentSpanId === setUp.spanId && outcome.type !== 'pending' && endTimeUnixNano <= root.startTimeUnixNano,
  ).length;
}

/**
 * Waits until a process that listens has made the calls that it had made before the run: many listen first, and turn requests away until they
 * are set up. Where it makes fewer of them, until none has come for a while. `pause` waits so many milliseconds, or until the command has ended.
 */
export async function awaitSetUp(
  awaited: AwaitedSetUp,
  pause: (ms: number) => Promise<void>,
  ended: AbortSignal,
): Promise<void> {
  const wanted = callsBefore(awaited);
  if (wanted === 0) return;
  const counter = new ReportCounter(awaited.directory, 'met');
  const untilMs = performance.now() + SET_UP_MS_MAX;
  let last = { count: counter.count('replayed'), atMs: performance.now() };
  while (last.count < wanted && !ended.aborted) {
    const nowMs = performance.now();
    if (nowMs > untilMs || nowMs - last.atMs > SET_UP_QUIET_MS) return;
    await pause(SET_UP_LOOK_MS);
    const count = counter.count('replayed');
    if (count !== last.count) last = { count, atMs: performance.now() };
  }
  // What was called last is answered at once; what the program does with the answer takes a moment.
  await pause(SET_UP_REACTION_MS);
}
