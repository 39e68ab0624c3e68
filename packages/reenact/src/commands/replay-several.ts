import { crossingLabel, toReenactError } from '@reenact/trace-model';
import { collectorUrl, findRecording } from '../recording-source.ts';
import type { Terminal } from '../terminal.ts';
import type { ReplayOptions } from './replay.ts';
import {
  NO_SELECTORS,
  type PlannedRun,
  type ReplayOne,
  readSelectors,
  replayRuns,
  selectorsFor,
} from './replay-runs.ts';

async function planned(source: string, options: ReplayOptions): Promise<PlannedRun> {
  try {
    const { recording, rootSpanId } = await findRecording(source, collectorUrl(options.collector));
    const root = recording.bySpanId.get(rootSpanId);
    const startedAt = root === undefined ? '' : new Date(Number(root.startTimeUnixNano / 1_000_000n)).toISOString();
    const name = root === undefined ? '' : crossingLabel(root);
    const run = { source, traceId: recording.traceId, rootSpanId, name, startedAt };
    return { run, selectors: selectorsFor(options, recording), error: undefined };
  } catch (thrown) {
    const run = { source, traceId: '', rootSpanId: '', name: '', startedAt: '' };
    return { run, selectors: NO_SELECTORS, error: toReenactError(thrown) };
  }
}

/**
 * Replays several recordings that were named by id or file, in that order, each with the same command or function. All are
 * read before the first is replayed. Gives the worst exit code. Throws ReenactError `bad-plan` where a selector names nothing
 * in any of them.
 */
export async function replaySeveral(
  sources: readonly string[],
  options: ReplayOptions,
  terminal: Terminal,
  replayOne: ReplayOne,
): Promise<number> {
  readSelectors(options);
  const runs: PlannedRun[] = [];
  for (const source of sources) runs.push(await planned(source, options));
  return replayRuns({ title: 'Recordings', planned: runs, options, terminal, replayOne });
}
