import { type PlanOptions, planForRun } from '@reenact/replay';
import { crossingLabel, ReenactError, toReenactError } from '@reenact/trace-model';
import { collectorUrl, findReplayable, type NamedRecording } from '../reading/recording-source.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { planOf } from './plan-flags.ts';
import type { ReplayOptions } from './replay-options.ts';
import { NOTHING_ASKED, type PlannedRun, type ReplayOne, replayRuns } from './replay-runs.ts';

/** A recording that was named, or why it cannot be read. */
async function foundBy(source: string, url: string): Promise<NamedRecording | ReenactError> {
  try {
    return await findReplayable(source, url);
  } catch (thrown) {
    return toReenactError(thrown);
  }
}

async function planned(source: string, plan: PlanOptions, options: ReplayOptions): Promise<PlannedRun> {
  const found = await foundBy(source, collectorUrl(options.collector));
  if (found instanceof ReenactError) {
    const run = { source, traceId: '', rootSpanId: '', name: '', startedAt: '' };
    return { run, asked: NOTHING_ASKED, error: found };
  }
  const { recording, rootSpanId } = found;
  const root = recording.bySpanId.get(rootSpanId);
  const startedAt = root === undefined ? '' : new Date(Number(root.startTimeUnixNano / 1_000_000n)).toISOString();
  const name = root === undefined ? '' : crossingLabel(root);
  const run = { source, traceId: recording.traceId, rootSpanId, name, startedAt };
  return { run, asked: planForRun(plan, recording, rootSpanId), error: undefined };
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
  const { options: plan } = planOf(options);
  const runs: PlannedRun[] = [];
  for (const source of sources) runs.push(await planned(source, plan, options));
  return replayRuns({ title: 'Recordings', planned: runs, options, terminal, replayOne });
}
