import type { Crossing } from '@reenact/trace-model';
import type { EventHistory } from './event-history.ts';

/** How a process ends that waits for something that never comes: by itself, or stopped by the replay. */
const WAITED = /^exit code 13\b|, because the replay stopped it$/;

/**
 * What to look for in a run that waits for ever, where it was served a stream that it left before the end when it was recorded: whoever reads on there is given
 * nothing, for nothing is known of what would have come. Undefined where it was served none. `recorded`: the crossings below the run.
 */
export function readOnAdvice(
  recorded: readonly Crossing[],
  { met }: Pick<EventHistory, 'met'>,
  agentExit: string | undefined,
): string | undefined {
  if (agentExit === undefined || !WAITED.test(agentExit)) return undefined;
  const served = new Set(met.flatMap(({ event }) => (event.answer === 'stub' ? [event.recordedSpanId] : [])));
  const left = recorded.findLast(({ spanId, outcome }) => outcome.type === 'aborted' && served.has(spanId));
  return left === undefined
    ? undefined
    : `The agent left ${left.path} before its end when it was recorded, and nothing is known of what would have come: where it reads on there, it waits for ever. Find what kept it from leaving, such as another limit; else look at what it printed last, and at what is told above.`;
}
