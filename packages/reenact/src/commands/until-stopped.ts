const STOPPING = ['SIGINT', 'SIGTERM'] as const;

/** Resolves when the user or the system asks the process to end. A second signal, whichever of the two, ends it at once. */
export function untilStopped(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const stop = (signal: NodeJS.Signals): void => {
      for (const each of STOPPING) process.off(each, stop);
      resolve(signal);
    };
    for (const signal of STOPPING) process.on(signal, stop);
  });
}
