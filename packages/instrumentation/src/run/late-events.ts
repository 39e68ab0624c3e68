import { LATE_CROSSINGS_MAX, LATE_EVENTS_MAX } from '../limits.ts';
import type { CrossingScope, RunState } from './crossing-scope.ts';
import { DrawTape, type TapedEvents } from './draw-tape.ts';

function lateEventsOf(run: RunState): NonNullable<RunState['lateEvents']> {
  run.lateEvents ??= { tapes: new Map(), count: 0 };
  return run.lateEvents;
}

/**
 * Where a timer, or work, of code directly inside a crossing that has ended is kept; undefined where it is not. It is kept of an agent, whose code runs
 * again in a replay, as long as a root of the run is open: that carries it, for the agent's own span has left (docs/adr/0049).
 */
export function lateEventTape(scope: CrossingScope): DrawTape | undefined {
  // Most of what fires late does so behind the end of its run: nothing is made for that.
  if (scope.isAgent !== true || scope.run.openRoots === 0) return undefined;
  scope.draws ??= new DrawTape();
  if (!keepsLateEvents(scope)) return undefined;
  const late = lateEventsOf(scope.run);
  if (late.count >= LATE_EVENTS_MAX) return undefined;
  late.count += 1;
  return scope.draws;
}

/** Whether what fires of such code takes a number of the run still. */
export function keepsLateEvents({ spanId, isAgent, run, draws }: CrossingScope): boolean {
  if (isAgent !== true || draws === undefined || run.openRoots === 0) return false;
  const late = lateEventsOf(run);
  if (late.tapes.has(spanId)) return true;
  if (late.tapes.size >= LATE_CROSSINGS_MAX || late.count + draws.eventCount > LATE_EVENTS_MAX) return false;
  late.tapes.set(spanId, draws);
  late.count += draws.eventCount;
  return true;
}

/** What a root carries of it as it ends; undefined where that is nothing. The same each time. */
export function lateEventsAtEnd(root: CrossingScope): Readonly<Record<string, TapedEvents>> | undefined {
  const { run } = root;
  const { tapes } = run.lateEvents ?? {};
  if (tapes !== undefined && tapes.size > 0)
    root.lateEvents ??= Object.fromEntries(Array.from(tapes, ([spanId, tape]) => [spanId, tape.events()]));
  if (run.openRoots === 0) run.lateEvents = undefined;
  return root.lateEvents;
}
