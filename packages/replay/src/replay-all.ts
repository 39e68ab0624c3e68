import type { Recording, ReplayReport } from '@reenact/trace-model';
import type { EntryFunction } from './config/entry-function.ts';
import { type ReplaySettings, replay } from './replay.ts';

/** Many replays of one function. */
export interface ReplayAllOptions extends Omit<ReplaySettings, 'recording' | 'rootSpanId'> {
  /** Each with one run. */
  readonly recordings: Iterable<Recording>;
  /** The function that crosses the boundary of every run; called with the input each was recorded with. */
  readonly entry: EntryFunction;
}

/**
 * Replays many recordings of one function in this process, one after the other, so that a call that lost its context still
 * belongs to one of them. Gives the reports in the order of the recordings. Rejects as `replay` does, with the first that
 * cannot be replayed.
 */
export async function replayAll(options: ReplayAllOptions): Promise<ReplayReport[]> {
  const { recordings, entry, ...settings } = options;
  const reports: ReplayReport[] = [];
  for (const recording of recordings) {
    const { value: _value, error: _error, ...report } = await replay({ ...settings, recording, entry });
    reports.push(report);
  }
  return reports;
}
