import type { ScheduleEntry } from './schedule-entry.ts';

/** Whether it was recorded when this comes, so that other runs of the process can be in step with it. */
export function isInStep({ recorded, timer }: ScheduleEntry): boolean {
  if (recorded !== undefined) return true;
  return timer !== undefined && !timer.isOver && (timer.recorded?.hasFired === true || timer.deliveredUs !== undefined);
}
