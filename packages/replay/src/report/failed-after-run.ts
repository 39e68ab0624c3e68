import type { StampedEvent } from '../events/replay-event.ts';

/**
 * What a report says of a program that failed once something was refused after its run: the refusal may be why, and the verdict, which is of
 * the run, does not tell. `agentExit`: how the process ended.
 */
export function failedAfterRun(events: readonly StampedEvent[], agentExit: string | undefined): string | undefined {
  if (agentExit === undefined || !/^exit code [1-9]/.test(agentExit)) return undefined;
  if (!events.some(({ event }) => event.type === 'note' && event.afterRun === true)) return undefined;
  return `The program ended with ${agentExit}: what was refused after the run may be why. The verdict is of the run alone.`;
}
