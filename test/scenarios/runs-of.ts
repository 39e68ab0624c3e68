import { createCollectorClient } from '@reenact/collector-client';
import type { RunQuery, RunSummary } from '@reenact/trace-model/collector-api';
import { vi } from 'vitest';
import type { Stage } from './stage.ts';

/** Summaries are made in the background, on a machine that may do much else. */
const summariesMs = 60_000;

/**
 * What the collector of a stage has, newest first, once no answer says that it lacks runs. By the client that `reenact runs` stands on, and not
 * by the command: a suite asks again and again, and each start of a process costs more than everything that it then does.
 */
export function runsOf(
  { collectorUrl, access }: Pick<Stage, 'collectorUrl' | 'access'>,
  query: RunQuery = {},
): Promise<RunSummary[]> {
  const client = createCollectorClient({ url: collectorUrl, ...access });
  const look = async (): Promise<RunSummary[]> => {
    const { runs, unsummarisedRuns = 0 } = await client.listRuns({ limit: 500, ...query });
    if (unsummarisedRuns > 0) throw new Error(`The collector has not summarised ${unsummarisedRuns} runs yet.`);
    return [...runs];
  };
  return vi.waitFor(look, { timeout: summariesMs, interval: 50 });
}

/** What the collector of a stage has, as soon as it is what is waited for. */
export function runsOnceThere<Found>(
  stage: Pick<Stage, 'collectorUrl' | 'access'>,
  find: (runs: readonly RunSummary[]) => Found | undefined,
): Promise<Found> {
  const look = async (): Promise<Found> => {
    const found = find(await runsOf(stage));
    if (found === undefined) throw new Error('The collector has not summarised it yet.');
    return found;
  };
  return vi.waitFor(look, { timeout: summariesMs, interval: 50 });
}
