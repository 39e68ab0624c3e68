import type { CollectorQuestions } from '@reenact/collector-client/collector-questions';
import { type RunQuery, tailQuerySchema } from '@reenact/trace-model/collector-api';
import { useContext, useEffect, useState } from 'preact/hooks';
import { CollectorContext } from '../reading/collector-context.ts';
import { type Asked, useAnswer } from '../reading/use-answer.ts';
import type { RunRow } from './merge-runs.ts';

/** Rows of one answer. */
interface RunPage {
  readonly rows: readonly RunRow[];
  readonly nextCursor?: string | undefined;
  readonly unsummarisedRuns?: number | undefined;
}

const RUNS_PER_PAGE = 50;

async function askPage(collector: CollectorQuestions, query: RunQuery): Promise<RunPage> {
  const limited = { limit: RUNS_PER_PAGE, ...query };
  if (limited.text !== undefined) {
    const { found, ...rest } = await collector.searchRuns({ ...limited, text: limited.text });
    return { ...rest, rows: found };
  }
  const { runs, ...rest } = await collector.listRuns(limited);
  return { ...rest, rows: runs.map((run) => ({ run, hits: [] })) };
}

/** The list of runs as far as it was read. */
export interface RunsRead {
  readonly first: Asked<RunPage>;
  readonly rows: readonly RunRow[];
  readonly hasMore: boolean;
  readonly failure: unknown;
  readonly readMore: () => void;
  readonly again: () => void;
}

/** Runs that pass the filters, page by page. */
export function useRuns(query: RunQuery): RunsRead {
  const collector = useContext(CollectorContext);
  const key = JSON.stringify(query);
  const [first, again] = useAnswer(key, () => askPage(collector, query));
  const [more, setMore] = useState<{ after: unknown; pages: readonly RunPage[]; failure?: unknown }>({
    after: undefined,
    pages: [],
  });
  // Pages belong to the first one that they follow.
  const pages = more.after === first ? more.pages : [];
  const last = pages.at(-1) ?? (first.state === 'answered' ? first.answer : undefined);
  const readMore = (): void => {
    askPage(collector, { ...query, cursor: last?.nextCursor }).then(
      (page) => setMore({ after: first, pages: [...pages, page] }),
      (failure: unknown) => setMore({ after: first, pages, failure }),
    );
  };
  const rows = first.state === 'answered' ? [first.answer, ...pages].flatMap((page) => page.rows) : [];
  const failure = more.after === first ? more.failure : undefined;
  return { first, rows, hasMore: last?.nextCursor !== undefined, failure, readMore, again };
}

/** Whether runs are followed, and what came since that began. */
export interface LiveRuns<Run> {
  readonly state: 'off' | 'on' | 'lost';
  readonly since: ReadonlyMap<string, Run>;
}

/** Runs that are new or change while the page is open, by trace id. A search does not go on: what it found would have no place. */
export function useLiveRuns(query: RunQuery, isOn: boolean): LiveRuns<RunRow['run']> {
  const collector = useContext(CollectorContext);
  const key = JSON.stringify(query);
  const [live, setLive] = useState<LiveRuns<RunRow['run']> & { key: string }>({ key, state: 'off', since: new Map() });
  useEffect(() => {
    setLive({ key, state: 'off', since: new Map() });
    if (!isOn) return;
    const ending = new AbortController();
    void follow(collector, query, ending, (change) => setLive((before) => ({ ...change(before), key })));
    return () => ending.abort();
  }, [key, isOn, collector]);
  return live.key === key ? live : { state: 'off', since: new Map() };
}

type Change = (before: LiveRuns<RunRow['run']>) => LiveRuns<RunRow['run']>;

async function follow(
  collector: CollectorQuestions,
  { since: _since, until: _until, limit: _limit, cursor: _cursor, complete: _complete, ...filters }: RunQuery,
  { signal }: AbortController,
  tell: (change: Change) => void,
): Promise<void> {
  const onLost = (): void => tell((before) => ({ ...before, state: 'lost' }));
  try {
    tell((before) => ({ ...before, state: 'on' }));
    for await (const event of collector.followRuns(tailQuerySchema.parse(filters), { signal, onLost })) {
      if (event.event !== 'run') continue;
      const { data } = event;
      tell(({ since }) => ({ state: 'on', since: new Map([...since, [data.traceId, data]]) }));
    }
  } catch {
    if (!signal.aborted) onLost();
  }
}
