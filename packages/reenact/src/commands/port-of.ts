import { ReenactError } from '@reenact/trace-model';

/**
 * Reads the port that a flag gives. Throws ReenactError `bad-argument`; also for an empty one, as an unset variable of a shell leaves
 * it, which must not pick a free port.
 */
export function portOf(flag: string): (text: string) => number {
  return (text) => {
    const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
    if (port <= 65_535) return port;
    throw new ReenactError('bad-argument', `"${text}" is not a port.`, {
      where: flag,
      next: 'Give a number from 0 to 65535; 0 picks a free one.',
    });
  };
}
