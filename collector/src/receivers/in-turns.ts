import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Steps } from '@reenact/otlp';
import { INGEST_TURN_MS } from './limits.ts';

/** Does work step by step, with a turn for others whenever it has taken a while; what is little is done at once. */
export function inTurns<Result>(steps: Steps<Result>): Result | Promise<Result> {
  const last = oneTurn(steps);
  return last.done === true ? last.value : goOn(steps);
}

async function goOn<Result>(steps: Steps<Result>): Promise<Result> {
  for (;;) {
    await nextTurn();
    const last = oneTurn(steps);
    if (last.done === true) return last.value;
  }
}

function oneTurn<Result>(steps: Steps<Result>): IteratorResult<undefined, Result> {
  const endMs = performance.now() + INGEST_TURN_MS;
  for (;;) {
    const step = steps.next();
    if (step.done === true || performance.now() > endMs) return step;
  }
}
