import { constants } from 'node:os';

/** The name of a signal, given as `process.kill` takes it; undefined where it is none, as the question whether a process is there. Nothing at all, also null, is SIGTERM. */
export function signalName(signal: unknown): string | undefined {
  const given = typeof signal === 'number' ? signal : signal || 'SIGTERM';
  const isIt = ([name, number]: readonly [string, number]): boolean => given === name || given === number;
  return Object.entries(constants.signals).find(isIt)?.[0];
}
