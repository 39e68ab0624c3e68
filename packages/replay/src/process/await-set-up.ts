import type { Crossing, Recording } from '@reenact/trace-model';
import { setUpOf } from '@reenact/trace-model/reading';
import {
  SET_UP_DUE_MS_MAX,
  SET_UP_LOOK_MS,
  SET_UP_MS_MAX,
  SET_UP_POLLS_MS_MAX,
  SET_UP_POLLS_QUIET_MS,
  SET_UP_QUIET_MS,
  SET_UP_REACTION_MS,
} from '../limits.ts';
import { isPolling } from '../recorded/is-polling.ts';
import { ReportCounter } from './report-counter.ts';

/** Whose set-up is waited for. */
export interface AwaitedSetUp {
  readonly recording: Recording;
  readonly root: Crossing;
  /** The root of the request that is sent first, which may be another one of the same process. */
  readonly first: Crossing;
  /** The replay's directory, where its processes tell what they met. */
  readonly directory: string;
}

/** The calls that the process had made, and heard the end of, before the first request came when that was recorded. */
function callsBefore({ recording, root, first }: AwaitedSetUp): readonly Crossing[] {
  const setUp = setUpOf(recording, root.spanId);
  if (setUp === undefined) return [];
  return setUp.crossings.filter(
    ({ parentSpanId, outcome, endTimeUnixNano }) =>
      parentSpanId === setUp.spanId && outcome.type !== 'pending' && endTimeUnixNano <= first.startTimeUnixNano,
  );
}

/** What a timer calls more often than it was recorded to is answered by the same crossing again. */
function eachOnce(calls: readonly Crossing[]): (line: string) => boolean {
  const left = new Set(calls.map(({ spanId }) => spanId));
  return (line) => left.delete(/"recordedSpanId":"([0-9a-f]{16})"/.exec(line)?.[1] ?? '');
}

/** Waits until the process says that its timers have fired, too, which were due before the request: what beats every few milliseconds would else do so in the run. */
async function awaitDue(
  { root, first, directory }: AwaitedSetUp,
  pause: (ms: number) => Promise<void>,
  ended: AbortSignal,
): Promise<void> {
  const counter = new ReportCounter(directory, 'due');
  const runs = first === root ? 'replayed' : { rootSpanId: first.spanId };
  const untilMs = performance.now() + SET_UP_DUE_MS_MAX;
  while (counter.count(runs) === 0 && performance.now() < untilMs && !ended.aborted) await pause(SET_UP_LOOK_MS);
}

/**
 * Waits until a process that listens has made the calls that it had made before the first request: many listen first, and turn requests away until they
 * are set up. Where it makes fewer of them, until none has come for a while. `pause` waits so many milliseconds, or until the command has ended.
 */
export async function awaitSetUp(
  awaited: AwaitedSetUp,
  pause: (ms: number) => Promise<void>,
  ended: AbortSignal,
): Promise<void> {
  const calls = callsBefore(awaited);
  if (calls.length === 0) return;
  const [quietMs, longestMs] = isPolling(calls)
    ? [SET_UP_POLLS_QUIET_MS, SET_UP_POLLS_MS_MAX]
    : [SET_UP_QUIET_MS, SET_UP_MS_MAX];
  const counter = new ReportCounter(awaited.directory, 'met', eachOnce(calls));
  const untilMs = performance.now() + longestMs;
  let last = { count: counter.count('replayed'), atMs: performance.now() };
  while (last.count < calls.length && !ended.aborted) {
    const nowMs = performance.now();
    if (nowMs > untilMs || nowMs - last.atMs > quietMs) return;
    await pause(SET_UP_LOOK_MS);
    const count = counter.count('replayed');
    if (count !== last.count) last = { count, atMs: performance.now() };
  }
  if (isPolling(calls)) await awaitDue(awaited, pause, ended);
  // What was called last is answered at once; what the program does with the answer takes a moment.
  await pause(SET_UP_REACTION_MS);
}
