import type { Crossing } from '@reenact/trace-model';
import type { TimerPlace } from '../recorded/timer-place.ts';
import type { Ordered } from './ordered-heap.ts';

/** What a replay's schedule holds until its time has come: a part of what was recorded, or a timer of the agent's. */
export interface ScheduleEntry extends Ordered {
  timeUs: number;
  added: number;
  /** What the agent's clock shows at least when this is released. */
  readUs: number;
  readonly release: () => void;
  /** Real time, in milliseconds, after which it waits for no live crossing any more: it then took as long as recorded. */
  readonly patienceEndsMs: number;
  /** Where it is a timer of the agent's. */
  readonly timer?: TimerPlace;
  /** Where it is a part of what was recorded. */
  readonly recorded?: Crossing;
  /** Whether it is the end of what was recorded, and came together with the end before it. */
  readonly isWithPrevious?: boolean;
  /** When it could have been released, on the real clock of `runningMs`, but for files and the like that the agent was waiting for. */
  readySinceMs?: number;
}
