import type { Crossing } from '@reenact/trace-model';
import type { DivergenceDetails } from './arrival-reporter.ts';

/** What is said of a divergence that the agent knows of as soon as it is found, for the call is not answered as recorded. */
export function atOnce(candidate: Crossing | undefined, recordedAtUs: number): DivergenceDetails {
  return { candidate, recordedAtUs, takesEffect: 'at-once', insideAtOnce: true };
}
