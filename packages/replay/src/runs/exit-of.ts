import type { StampedEvent } from '../events/replay-event.ts';
import { STOPPED_THERE } from './idle-watch.ts';

/** How the agent's process ended. One that was stopped ends with exit code 0, which it did not choose. */
export function exitOf(commandExit: string, events: readonly Pick<StampedEvent, 'event'>[]): string {
  const isStopped = events.some(({ event }) => event.type === 'note' && event.text.endsWith(STOPPED_THERE));
  return isStopped ? `${commandExit}, because the replay stopped it` : commandExit;
}
