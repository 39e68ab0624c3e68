const LOOK_INTERVAL_MS = 1000;

/** As `npx` names what it runs, and a script that does nothing else: what another script leaves running is to stay. */
const OWN_SCRIPT = /^(["']?)reenact\1(?: +collect\b[^&|;]*)?$/;

/**
 * Resolves when the shell has ended by which npm started this process and nothing else. npm hands a signal on to that shell, which in many systems
 * ends by it and leaves its child running: whoever ends `npx reenact collect` by its process id means the collector. Never without npm.
 */
export function untilStarterEnded(environment: NodeJS.ProcessEnv): Promise<void> {
  if (!OWN_SCRIPT.test(environment.npm_lifecycle_script ?? '')) return new Promise(() => undefined);
  const starter = process.ppid;
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      if (process.ppid === starter) return;
      clearInterval(timer);
      resolve();
    }, LOOK_INTERVAL_MS).unref();
  });
}
