import type { Log, LogFacts } from './log.ts';

/** How long a stop may take before the log says what it waits for, and how often after that. */
const QUIET_MS = 2_000;
const TELL_EVERY_MS = 10_000;

/** How long a stop is silent. */
export interface TellingTimes {
  readonly quietMs?: number;
  readonly tellEveryMs?: number;
}

/** What a stop waits for at a time, and what of it is open. */
export type WaitsFor = LogFacts & { readonly waitsFor: string };

/** Has the log say what a stop waits for while it takes long; gives what ends that. */
export function tellWhileLong(
  log: Log,
  describe: () => WaitsFor,
  { quietMs = QUIET_MS, tellEveryMs = TELL_EVERY_MS }: TellingTimes = {},
): () => void {
  const startedAt = performance.now();
  const tell = (): void => {
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    const next = 'What was acknowledged is on the disk: a process that is ended now loses none of it.';
    log.warn('stop takes long', { seconds, ...describe(), next });
    timer = setTimeout(tell, tellEveryMs).unref();
  };
  let timer = setTimeout(tell, quietMs).unref();
  return () => clearTimeout(timer);
}
