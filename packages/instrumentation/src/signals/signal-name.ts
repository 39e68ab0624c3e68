import { constants } from 'node:os';

/** The name of a signal, given as `process.kill` takes it; undefined where it is none, as the question whether a process is there. */
export function signalName(signal: unknown): string | undefined {
  const isIt = ([name, number]: readonly [string, number]): boolean => signal === name || signal === number;
  return Object.entries(constants.signals).find(isIt)?.[0];
}
