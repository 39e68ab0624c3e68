import { processState } from '@reenact/trace-model';

const state = processState('own-work.1', () => ({ depth: 0 }));

/**
 * Runs synchronous work of Reenact or of OpenTelemetry: the clock it reads, the timers it sets and the random numbers it
 * draws are real, and no part of the run around it. Returns and throws what `work` does.
 */
export function asOwnWork<Result>(work: () => Result): Result {
  state.depth += 1;
  try {
    return work();
  } finally {
    state.depth -= 1;
  }
}

/** Whether the code that runs now is such work. */
export function isOwnWork(): boolean {
  return state.depth > 0;
}
