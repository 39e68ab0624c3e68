import type { FidelityAct } from './fidelity-library.ts';

/** Several acts as one cell, one after the other. */
export function inTurn(...acts: readonly FidelityAct[]): FidelityAct {
  return {
    run: async (peer) => {
      const results: unknown[] = [];
      for (const { run } of acts) results.push(await run(peer));
      return results;
    },
    shows: acts.map(({ shows }) => shows),
    crossings: acts.flatMap(({ crossings }) => crossings),
  };
}
