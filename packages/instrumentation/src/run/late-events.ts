import { LATE_CROSSINGS_MAX } from '../limits.ts';
import type { CrossingScope } from './crossing-scope.ts';
import type { TapedEvents } from './draw-tape.ts';

/**
 * Whether what fires of code directly inside a crossing that has ended takes a number of the run still: of an agent, whose code runs again in a replay, as
 * long as a root of the run is open. That carries it, for the agent's own span has left (docs/adr/0049).
 */
export function keepsLateEvents({ spanId, isAgent, run, draws }: CrossingScope): boolean {
  if (isAgent !== true || draws === undefined || run.openRoots === 0) return false;
  run.lateEvents ??= new Map();
  const { lateEvents } = run;
  if (!lateEvents.has(spanId) && lateEvents.size >= LATE_CROSSINGS_MAX) return false;
  lateEvents.set(spanId, draws);
  return true;
}

/** What a root carries of it as it ends; undefined where that is nothing. The same each time. */
export function lateEventsAtEnd(root: CrossingScope): Readonly<Record<string, TapedEvents>> | undefined {
  const { run } = root;
  if (run.lateEvents !== undefined && root.lateEvents === undefined)
    root.lateEvents = Object.fromEntries(Array.from(run.lateEvents, ([spanId, tape]) => [spanId, tape.events()]));
  if (run.openRoots === 0) run.lateEvents = undefined;
  return root.lateEvents;
}
