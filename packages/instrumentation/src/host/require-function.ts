import { ReenactError } from '@reenact/trace-model';

/** Refuses what is no function, as where the argument before it was left out. Throws ReenactError `bad-argument`; `where`: the call as it is written. */
export function requireFunction(where: string, fn: unknown): void {
  if (typeof fn === 'function') return;
  throw new ReenactError('bad-argument', `The function that it is to run is ${fn === null ? 'null' : typeof fn}.`, {
    where,
    next: 'Pass the function as the last argument.',
  });
}
