import { pristine } from './pristine.ts';

/** Resolves when everything that is ready to run has run. */
export function eventLoopTurn(): Promise<void> {
  return new Promise((resolve) => {
    pristine.setImmediate(resolve);
  });
}
