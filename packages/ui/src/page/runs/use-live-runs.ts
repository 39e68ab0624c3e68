import type { CollectorQuestions } from '@reenact/collector-client/collector-questions';
import { type RunQuery, type RunSummary, tailQuerySchema } from '@reenact/trace-model/collector-api';
import { useContext, useEffect, useState } from 'preact/hooks';
import { CollectorContext } from '../reading/collector-context.ts';
import { RunBatch } from './run-batch.ts';

/** Whether runs are followed, and what came since that began, by trace id. */
export interface LiveRuns {
  readonly state: 'off' | 'on' | 'lost';
  readonly since: ReadonlyMap<string, RunSummary>;
  /** Why they are followed no more, as after a token was taken back. */
  readonly failure?: unknown;
}

const nothing: LiveRuns = { state: 'off', since: new Map() };

/** Runs that are new or change while the page is open. A search does not go on: what it found would have no place. */
export function useLiveRuns(query: RunQuery, isOn: boolean): LiveRuns {
  const collector = useContext(CollectorContext);
  const key = JSON.stringify(query);
  const [live, setLive] = useState<LiveRuns & { key: string }>({ ...nothing, key });
  useEffect(() => {
    setLive({ ...nothing, key });
    if (!isOn) return;
    const ending = new AbortController();
    const tell = (change: Partial<LiveRuns>): void => setLive((before) => ({ ...before, ...change, key }));
    const batch = new RunBatch((since) => tell({ since }));
    void follow({ collector, query, signal: ending.signal, batch, tell });
    return () => {
      ending.abort();
      batch.stop();
    };
  }, [key, isOn, collector]);
  return live.key === key ? live : nothing;
}

interface Following {
  readonly collector: CollectorQuestions;
  readonly query: RunQuery;
  readonly signal: AbortSignal;
  readonly batch: RunBatch;
  readonly tell: (change: Partial<LiveRuns>) => void;
}

async function follow({ collector, query, signal, batch, tell }: Following): Promise<void> {
  const { since, until, limit: _limit, cursor: _cursor, complete: _complete, ...filters } = query;
  const from = since === undefined ? Number.NEGATIVE_INFINITY : Date.parse(since);
  const to = until === undefined ? Number.POSITIVE_INFINITY : Date.parse(until);
  const onConnected = (): void => tell({ state: 'on' });
  const onLost = (): void => tell({ state: 'lost' });
  try {
    for await (const event of collector.followRuns(tailQuerySchema.parse(filters), { signal, onConnected, onLost })) {
      if (event.event !== 'run') continue;
      // A tail has no range of time: a run of last week that is replayed now is told, too.
      const startedAt = Date.parse(event.data.startedAt);
      if (startedAt >= from && startedAt < to) batch.add(event.data);
    }
  } catch (failure) {
    if (!signal.aborted) tell({ state: 'off', failure });
  }
}
