import { processState } from '@reenact/trace-model';

const state = processState('span-work.1', () => ({ depth: 0 }));

/**
 * Runs what a span of an app's own SDK does where it begins, notes something or ends. What it draws is no part of a run that leaves it out; what
 * a span processor of the user does in there besides, such as a connection that it opens, is. Returns and throws what `work` does.
 */
export function asSpanWork<Result>(work: () => Result): Result {
  state.depth += 1;
  try {
    return work();
  } finally {
    state.depth -= 1;
  }
}

/** Whether the code that runs now is such work. */
export function isSpanWork(): boolean {
  return state.depth > 0;
}
