import { API_OPERATIONS } from '@reenact/trace-model/collector-api';
import type { ReceivedCounters } from '../counters.ts';
import type { DestinationHealth } from '../forward/destination-health.ts';
import type { Store, StoreStats } from '../store/store.ts';
import { type Answerer, answerJson, parametersOf } from './answer.ts';

/** What `GET /api/v1/stats` and `stats()` say. Counters start with the process; store figures are of the directory. */
export interface CollectorStats {
  readonly received: Readonly<ReceivedCounters>;
  readonly store: StoreStats;
  readonly forward: readonly DestinationHealth[];
  /** Entries queued for destinations that are no longer configured; they wait for their return. */
  readonly orphanedQueues: Readonly<Record<string, number>>;
}

/** What the statistics are gathered from. */
export interface StatsSources {
  readonly store: Store;
  readonly counters: ReceivedCounters;
  readonly destinations: () => readonly Omit<DestinationHealth, 'queued' | 'oldestQueuedAt'>[];
}

/** Gathers the statistics now. */
export async function gatherStats({ store, counters, destinations }: StatsSources): Promise<CollectorStats> {
  const depths = new Map(await store.queueDepths());
  const forward: DestinationHealth[] = [];
  for (const health of destinations()) {
    const oldestMs = await store.oldestQueuedMs(health.name);
    const oldest = oldestMs === undefined ? {} : { oldestQueuedAt: new Date(oldestMs).toISOString() };
    forward.push({ ...health, queued: depths.get(health.name) ?? 0, ...oldest });
  }
  for (const { name } of forward) depths.delete(name);
  return {
    received: structuredClone(counters),
    store: await store.stats(),
    forward,
    orphanedQueues: Object.fromEntries(depths),
  };
}

/** `GET /api/v1/stats`. */
export function createStatsAnswerer(sources: StatsSources): Answerer {
  return async (question) => {
    parametersOf(question, API_OPERATIONS.getStats.parameters);
    return answerJson(await gatherStats(sources));
  };
}
