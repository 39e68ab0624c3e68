import { constants } from 'node:os';

const STOPPING = ['SIGINT', 'SIGTERM'] as const;

/** What a shell says of a command that a signal ended begins behind this. */
const ENDED_BY_SIGNAL = 128;

/**
 * Resolves when the user or the system asks the process to end. A second signal, whichever of the two, ends it at once, with the exit status
 * that a shell gives it.
 */
export function untilStopped(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const stop = (signal: NodeJS.Signals): void => {
      for (const each of STOPPING) {
        process.off(each, stop);
        // The system ends any other process by itself, also one that is busy; to the first of a container it does nothing.
        if (process.pid === 1) process.on(each, endAtOnce);
      }
      resolve(signal);
    };
    for (const signal of STOPPING) process.on(signal, stop);
  });
}

function endAtOnce(signal: NodeJS.Signals): void {
  process.exit(ENDED_BY_SIGNAL + constants.signals[signal]);
}
