import { leaveOutSpans, PatchSet, type Player, showSpanTime } from '@reenact/instrumentation';
import { ActiveTimes } from './active-times.ts';
import { holdForSignal } from './hold-for-signal.ts';
import { patchAnswers } from './patches/patch-answers.ts';
import { patchChildNumbers } from './patches/patch-child-numbers.ts';
import { patchClock } from './patches/patch-clock.ts';
import { patchContexts } from './patches/patch-contexts.ts';
import { patchImmediates } from './patches/patch-immediates.ts';
import { patchProcessId } from './patches/patch-process-id.ts';
import { patchPromiseTimers } from './patches/patch-promise-timers.ts';
import { patchRandom } from './patches/patch-random.ts';
import { patchReadings } from './patches/patch-readings.ts';
import { patchTimers } from './patches/patch-timers.ts';
import { patchWork } from './patches/patch-work.ts';
import type { RunTime } from './run-time.ts';
import { patchHiddenWork } from './schedule/quiet-process.ts';
import { SpanTimes } from './span-times.ts';

/** A replay whose time is to be virtual. */
export interface TimeRequest {
  readonly player: Player;
  readonly time: RunTime;
  /**
   * process: everything in this process belongs to the replay. context: only code that carries a position of this player, so
   * that ordinary traffic beside the replay keeps real time.
   */
  readonly scope: 'process' | 'context';
  /** Where spans of this process are sent on: how much later than the recorded ones they stand, whole milliseconds. */
  readonly spansLaterMs?: number | undefined;
}

const times = new ActiveTimes();
let patches: PatchSet | undefined;
let stops: readonly (() => void)[] = [];
let isPrepared = false;

function patchEverything(): PatchSet {
  const made = new PatchSet();
  // Below what serves random bytes, which looks at who calls it.
  patchWork(made, times);
  patchAnswers(made, times);
  patchTimers(made, times);
  patchPromiseTimers(made, times);
  patchImmediates(made, times);
  patchClock(made, times);
  patchRandom(made, times);
  patchReadings(made, times);
  patchChildNumbers(made, times);
  holdForSignal(made, times);
  stops = [patchProcessId(made, times), patchContexts(made, times)];
  patchHiddenWork(made);
  made.publish();
  return made;
}

/** Patches the platform for replays that come later, in a process that is shared (see `prepareGuard`). It stays patched. */
export function prepareTime(): void {
  isPrepared = true;
  patches ??= patchEverything();
}

function followRun(laterMs: number): () => void {
  times.spansLaterMs = laterMs;
  const spanTimes = new SpanTimes(times);
  return showSpanTime(() => spanTimes.now());
}

/**
 * Makes clock, timers and random sources of code inside a replay virtual from now on (docs/adr/0012); gives how to stop. The
 * platform is patched while at least one replay goes on, and put back exactly after the last. For the whole of a process
 * call it before any code of the user runs.
 */
export function installTime({ player, time, scope, spansLaterMs }: TimeRequest): () => void {
  const remove = times.add(player, time, scope === 'process');
  patches ??= patchEverything();
  time.isVirtual = true;
  const stopSpans = time.leavesOutSpans ? leaveOutSpans() : undefined;
  const stopSpanTime = spansLaterMs === undefined ? undefined : followRun(spansLaterMs);
  return () => {
    remove();
    stopSpans?.();
    stopSpanTime?.();
    time.isVirtual = false;
    time.stop();
    if (times.size > 0 || isPrepared) return;
    for (const stop of stops) stop();
    stops = [];
    patches?.restore();
    patches = undefined;
  };
}
