import { fork } from 'node:child_process';
import { once } from 'node:events';

/** A server on loopback in a process of its own, so that what it costs is nobody's. */
export interface ServerProcess {
  readonly origin: string;
  stop(): Promise<void>;
}

/** Starts a file beside this one that listens on a free port and sends its number to its parent. */
export async function startServerProcess(file: string): Promise<ServerProcess> {
  // Run from source as its parent is: nothing needs to be built for a measurement.
  const child = fork(new URL(file, import.meta.url), { execArgv: ['--conditions=@reenact/source'] });
  const failed = once(child, 'exit').then(([code]) => {
    throw new TypeError(`${file} ended with ${code} before it listened`);
  });
  const [port] = (await Promise.race([once(child, 'message'), failed])) as [number];
  failed.catch(() => undefined);
  return {
    origin: `http://127.0.0.1:${port}`,
    stop: async () => {
      const exited = once(child, 'exit');
      child.kill();
      await exited;
    },
  };
}
