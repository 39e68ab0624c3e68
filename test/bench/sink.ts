import { fork } from 'node:child_process';
import { once } from 'node:events';

/** An OTLP/HTTP endpoint in a process of its own, so that what it costs is nobody's. It takes everything and keeps nothing. */
export interface Sink {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts a sink on a free port. */
export async function startSink(): Promise<Sink> {
  const child = fork(new URL('./sink-process.ts', import.meta.url), { execArgv: [] });
  const [port] = (await once(child, 'message')) as [number];
  return {
    url: `http://127.0.0.1:${port}/v1/traces`,
    stop: async () => {
      const exited = once(child, 'exit');
      child.kill();
      await exited;
    },
  };
}
