const OWN_WORK = Symbol.for('reenact.own-work.1');

function findOrMakeState(): { depth: number } {
  const holder = globalThis as { [OWN_WORK]?: { depth: number } };
  const found = holder[OWN_WORK];
  if (found !== undefined) return found;
  const made = { depth: 0 };
  Object.defineProperty(holder, OWN_WORK, { value: made });
  return made;
}

const state = findOrMakeState();

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
