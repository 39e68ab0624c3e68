const LOOK_INTERVAL_MS = 1000;

/** As `npx` names what it runs, and a script that does nothing else: what another script leaves running is to stay. */
const OWN_SCRIPT = /^(["']?)reenact\1(?: +collect\b[^&|;]*)?$/;

/** Whether npm was told to run this and nothing else. */
export function isAllOfScript({ npm_lifecycle_script: script = '' }: NodeJS.ProcessEnv): boolean {
  return OWN_SCRIPT.test(script);
}

/** To be called before anything is started: what is below this process is not what npm runs, and a collector there has another starter. */
export function forgetScript(environment: NodeJS.ProcessEnv): void {
  if (isAllOfScript(environment)) delete environment.npm_lifecycle_script;
}

/**
 * Resolves when the shell has ended by which npm started this process and nothing else. npm hands a signal on to that shell, which in many systems
 * ends by it and leaves its child running: whoever ends `npx reenact collect` by its process id means the collector. Never without npm, nor on Windows, where a process keeps the
 * number of a starter that has ended.
 */
export function untilStarterEnded(environment: NodeJS.ProcessEnv): Promise<void> {
  if (!isAllOfScript(environment)) return new Promise(() => undefined);
  const starter = process.ppid;
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      if (process.ppid === starter) return;
      clearInterval(timer);
      resolve();
    }, LOOK_INTERVAL_MS).unref();
  });
}
