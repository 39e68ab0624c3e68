import { type Recording, ReenactError, type ReplayReport } from '@reenact/trace-model';
import type { EntryFunction } from './config/entry-function.ts';
import { type ReplaySettings, replay } from './replay.ts';

/** Many replays of one function. */
export interface ReplayAllOptions extends Omit<ReplaySettings, 'recording' | 'rootSpanId'> {
  /** Each with one run. */
  readonly recordings: Iterable<Recording>;
  /** The function that crosses the boundary of every run; called with the input each was recorded with. */
  readonly entry: EntryFunction;
}

/** Types do not keep JavaScript from giving one recording, or none. */
function checkRecordings(recordings: unknown): void {
  if (typeof recordings === 'object' && recordings !== null && Symbol.iterator in recordings) return;
  throw new ReenactError('bad-argument', 'What replayAll() was given as `recordings` is no list.', {
    where: 'replayAll()',
    next: 'Pass an array of what findRecording gives as `recording`, or use replay() for one.',
  });
}

/**
 * Replays many recordings of one function in this process, one after the other, so that a call that lost its context still
 * belongs to one of them. Gives the reports in the order of the recordings. Rejects as `replay` does, with the first that
 * cannot be replayed; with `bad-argument` where `recordings` is no list.
 */
export async function replayAll(options: ReplayAllOptions): Promise<ReplayReport[]> {
  const { recordings, entry, ...settings } = options;
  checkRecordings(recordings);
  const reports: ReplayReport[] = [];
  for (const recording of recordings) {
    const { value: _value, error: _error, ...report } = await replay({ ...settings, recording, entry });
    reports.push(report);
  }
  return reports;
}
