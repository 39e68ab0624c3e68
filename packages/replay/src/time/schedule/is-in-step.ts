import type { ScheduleEntry } from './schedule-entry.ts';

/** Whether it was recorded when this comes, so that other runs of the process can be in step with it. */
export function isInStep({ recorded, timer }: ScheduleEntry): boolean {
  if (recorded !== undefined) return true;
  return timer !== undefined && !timer.isOver && (timer.recorded?.hasFired === true || timer.deliveredUs !== undefined);
}

/**
 * Whether it is a timer that had not fired when it was last seen, as a limit of something that came in time: what another run of the process was given before it was due
 * may be what came, and is given first.
 */
export function isUnfired({ timer }: ScheduleEntry): boolean {
  return timer !== undefined && !timer.isOver && !timer.isWork && timer.recorded?.hasFired === false;
}
