import type { ScheduleEntry } from './schedule-entry.ts';

/**
 * Whether something came together with what was recorded to end right before it, and has been released: nothing of the agent's ran in between,
 * and nothing may now.
 */
export function cameWith({ isWithPrevious, recorded }: ScheduleEntry, released: ScheduleEntry): boolean {
  const order = released.recorded?.settled;
  return isWithPrevious === true && order !== undefined && recorded?.settled === order + 1;
}
