import type { Crossing } from '@reenact/trace-model';
import type { ScheduleEntry } from './schedule-entry.ts';

/** Whether a crossing ended before the event loop turned; not where what came before is `first` among what waits to be given to the agent. */
export function settlesInTurn(
  { call, outcome, settledMicrotasks, settled = Number.MAX_SAFE_INTEGER }: Crossing,
  settledUs: number,
  first: ScheduleEntry | undefined,
): boolean {
  if (settledMicrotasks === undefined || call !== 'promise' || 'chunks' in outcome) return false;
  if (first === undefined || first.timeUs > settledUs) return true;
  return first.timeUs === settledUs && first.tie > settled;
}

/** Settles as many rounds of promise reactions after its call as then: chains of promises beside it are as far (docs/adr/0040). */
export async function inTurn({ settledMicrotasks = 0 }: Crossing, settle: () => void): Promise<void> {
  for (let left = settledMicrotasks; left > 0; left -= 1) await undefined;
  settle();
}
