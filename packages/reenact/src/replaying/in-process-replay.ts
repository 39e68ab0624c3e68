import type { ReenactConfig, ReplayAllOptions, ReplayOptions, ReplayResult } from '@reenact/replay';
import type { ReplayReport } from '@reenact/trace-model';
import type { NamedRecording } from '../reading/recording-source.ts';

// An agent in production imports `reenact` for its wrappers. What replays is loaded when somebody replays.

/** Gives its argument back; it is there for the types. Export the result as `reenact`. */
export function defineReenact(config: ReenactConfig): ReenactConfig {
  return config;
}

/**
 * Runs code again against a recording, in this process, and reports what differed. What the code throws is in the result;
 * the promise rejects only with a ReenactError, before anything is called: `bad-argument`, `bad-plan`, `not-found`,
 * `cold-case`, `recording-damaged`, `unsupported`. Needs a registered OpenTelemetry context manager.
 */
export async function replay<Value>(options: ReplayOptions<Value>): Promise<ReplayResult<Value>> {
  const replaying = await import('@reenact/replay');
  return replaying.replay(options);
}

/**
 * Replays many recordings of one function in this process, one after the other. Gives the reports in the order of the recordings.
 * Rejects as `replay` does, with the first that cannot be replayed.
 */
export async function replayAll(options: ReplayAllOptions): Promise<ReplayReport[]> {
  const replaying = await import('@reenact/replay');
  return replaying.replayAll(options);
}

/**
 * Reads a recording by trace id, by any span id of it, or from a fixture file, and settles which of its runs is meant. `url`: of the
 * collector; default `$REENACT_COLLECTOR`, else this machine's. Throws ReenactError with the code that says what failed.
 */
export async function findRecording(idOrFile: string, url?: string): Promise<NamedRecording> {
  const source = await import('../reading/recording-source.ts');
  return source.findReplayable(idOrFile, source.collectorUrl(url));
}
