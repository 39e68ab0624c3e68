import type { Crossing } from '@reenact/trace-model';
import type { ScheduleEntry } from './schedule-entry.ts';

/** A part of an outcome, or its end, and where it stood. */
export interface PartInTurn {
  readonly recorded: Crossing;
  readonly timeUs: number;
  /** How many rounds of promise reactions lay between the agent's asking and it; undefined: the event loop turned. */
  readonly microtasks: number | undefined;
}

/** Whether it came before the event loop turned; not where what came before is `first` among what waits to be given to the agent. */
function comesInTurn({ recorded, timeUs, microtasks }: PartInTurn, first: ScheduleEntry | undefined): boolean {
  if (microtasks === undefined) return false;
  if (first === undefined || first.timeUs > timeUs) return true;
  return first.timeUs === timeUs && first.tie > (recorded.settled ?? Number.MAX_SAFE_INTEGER);
}

async function afterMicrotasks(microtasks: number, give: () => void): Promise<number> {
  for (let left = microtasks; left > 0; left -= 1) await undefined;
  give();
  return microtasks;
}

/**
 * Gives a part as many rounds of promise reactions from now as then: chains of promises beside it are as far (docs/adr/0040). Resolves with their
 * number; undefined where it has to wait for its turn in the schedule.
 */
export function inTurn(
  part: PartInTurn,
  first: ScheduleEntry | undefined,
  give: () => void,
): Promise<number> | undefined {
  return comesInTurn(part, first) ? afterMicrotasks(part.microtasks ?? 0, give) : undefined;
}
