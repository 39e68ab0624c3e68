import { ReenactError } from '../reenact-error.ts';

/** Refuses what is no class. Throws ReenactError `bad-argument`; `where`: the call as it is written. */
export function requireClass(where: string, given: unknown): void {
  if (typeof given === 'function') return;
  throw new ReenactError(
    'bad-argument',
    `What is registered is ${given === null ? 'null' : typeof given} and no class.`,
    {
      where,
      next: 'Pass the class itself, not its name or an instance of it.',
    },
  );
}
