import { startServerProcess } from './server-process.ts';

/** An OTLP/HTTP endpoint in a process of its own. It takes everything and keeps nothing. */
export interface Sink {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts a sink on a free port. */
export async function startSink(): Promise<Sink> {
  const { origin, stop } = await startServerProcess('./sink-process.ts');
  return { url: `${origin}/v1/traces`, stop };
}
