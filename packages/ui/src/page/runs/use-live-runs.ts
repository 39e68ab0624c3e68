import type { CollectorQuestions } from '@reenact/collector-client/collector-questions';
import { type RunQuery, tailQuerySchema } from '@reenact/trace-model/collector-api';
import { useContext, useEffect, useRef, useState } from 'preact/hooks';
import { CollectorContext } from '../reading/collector-context.ts';
import { followInTurns } from '../reading/follow-in-turns.ts';
import { useShown } from '../reading/use-shown.ts';
import { RunBatch, type RunsSince } from './run-batch.ts';

/** Whether runs are followed, and what came since that began. */
export interface LiveRuns {
  readonly state: 'off' | 'on' | 'lost' | 'hidden';
  readonly since: RunsSince;
  /** What was deleted meanwhile is not known: the list is to be read again. */
  readonly isOutdated?: boolean;
  /** Why they are followed no more, as after a token was taken back. */
  readonly failure?: unknown;
}

const nothing: LiveRuns = { state: 'off', since: new Map() };

/** What lasts while a tab is hidden and shown again. */
interface Followed {
  readonly key: string;
  readonly collector: CollectorQuestions;
  readonly batch: RunBatch;
  /** Where the list was, then the last event that was read: the next tail goes on after it. */
  place: string | undefined;
}

/**
 * Runs that are new or change behind a list that was read, as soon as it is said where that was. A hidden tab gives its connection back, of which a browser
 * has six for a collector, and makes up for that time when it is shown.
 */
export function useLiveRuns(query: RunQuery, followFrom: string | undefined): LiveRuns {
  const collector = useContext(CollectorContext);
  const isShown = useShown();
  const isOn = followFrom !== undefined;
  const key = JSON.stringify(query);
  const [live, setLive] = useState<LiveRuns & { key: string }>({ ...nothing, key });
  const held = useRef<Followed>(undefined);
  useEffect(() => () => held.current?.batch.stop(), []);
  useEffect(() => {
    const tell = (change: Partial<LiveRuns>): void =>
      setLive((before) => ({ ...(before.key === key ? before : nothing), ...change, key }));
    if (held.current?.key !== key || held.current.collector !== collector) {
      held.current?.batch.stop();
      held.current = {
        key,
        collector,
        batch: new RunBatch((since) => tell({ since })),
        place: undefined,
      };
      setLive({ ...nothing, key });
    }
    // A list that is read once more is followed from where the first one was.
    held.current.place ??= followFrom;
    tell({ state: isOn && !isShown ? 'hidden' : 'off' });
    if (!isOn || !isShown) return;
    const ending = new AbortController();
    const { signal } = ending;
    // An answer that was on its way comes all the same: it says nothing of what is followed by then.
    const tellUnlessOver = (change: Partial<LiveRuns>): void => {
      if (!signal.aborted) tell(change);
    };
    void follow({ followed: held.current, query, signal, tell: tellUnlessOver });
    return () => ending.abort();
  }, [key, isOn, isShown, collector]);
  return live.key === key ? live : nothing;
}

interface Following {
  readonly followed: Followed;
  readonly query: RunQuery;
  readonly signal: AbortSignal;
  readonly tell: (change: Partial<LiveRuns>) => void;
}

async function follow({ followed, query, signal, tell }: Following): Promise<void> {
  const { collector, batch, place } = followed;
  const { since, until, limit: _limit, cursor: _cursor, complete: _complete, ...filters } = query;
  const from = since === undefined ? Number.NEGATIVE_INFINITY : Date.parse(since);
  const to = until === undefined ? Number.POSITIVE_INFINITY : Date.parse(until);
  const options = {
    signal,
    lastEventId: place,
    leaving: true,
    onConnected: (): void => tell({ state: 'on' }),
    onLost: (): void => tell({ state: 'lost' }),
    onPlace: (lastEventId: string): void => {
      if (!signal.aborted) followed.place = lastEventId;
    },
  };
  try {
    for await (const event of followInTurns(collector, tailQuerySchema.parse(filters), options)) {
      if (event.event === 'dropped') continue;
      if (event.event === 'forgotten') {
        tell({ isOutdated: true });
        continue;
      }
      if (event.event === 'deleted') {
        for (const traceId of event.data.traceIds) batch.add(traceId, 'left');
        continue;
      }
      const { traceId } = event.data;
      if (event.event === 'left') {
        batch.add(traceId, 'left');
        continue;
      }
      // A tail has no range of time: a run of last week that is replayed now is told, too.
      const startedAt = Date.parse(event.data.startedAt);
      batch.add(traceId, startedAt >= from && startedAt < to ? event.data : 'left');
    }
  } catch (failure) {
    tell({ state: 'off', failure });
  }
}
