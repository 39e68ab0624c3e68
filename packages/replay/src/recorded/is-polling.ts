import { type Crossing, crossingLabel } from '@reenact/trace-model';

/** Whether a process called the same more than once before a run: a timer did, as far as one can tell, and time leaps from each of its calls to the next (docs/adr/0052). */
export function isPolling(setUp: readonly Crossing[]): boolean {
  const inputs = setUp.map((crossing) => `${crossingLabel(crossing)} ${crossing.input?.digest ?? ''}`);
  return new Set(inputs).size < inputs.length;
}
