import type { CollectorQuestions } from '@reenact/collector-client/collector-questions';
import { RUNS_PER_PAGE_MAX, type RunQuery } from '@reenact/trace-model/collector-api';
import { useContext, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type AskFailure, askUntilAnswered } from '../reading/ask-until-answered.ts';
import { CollectorContext } from '../reading/collector-context.ts';
import { type Asked, useAnswer } from '../reading/use-answer.ts';
import { readListPlace } from './list-place.ts';
import type { RunRow } from './merge-runs.ts';

/** Rows of one answer. */
interface RunPage {
  readonly rows: readonly RunRow[];
  readonly nextCursor?: string | undefined;
  readonly unsummarisedRuns?: number | undefined;
  readonly unsummarisedTraceIds?: readonly string[] | undefined;
  readonly followFrom?: string | undefined;
}

const RUNS_PER_PAGE = 50;

async function askPage(collector: CollectorQuestions, query: RunQuery, limit = RUNS_PER_PAGE): Promise<RunPage> {
  const limited = { limit, ...query };
  if (limited.text !== undefined) {
    const { found, ...rest } = await collector.searchRuns({ ...limited, text: limited.text });
    return { ...rest, rows: found };
  }
  const { runs, ...rest } = await collector.listRuns(limited);
  return { ...rest, rows: runs.map((run) => ({ run, hits: [] })) };
}

/** The beginning of a list, as far as it had been read before. */
async function askAgain(collector: CollectorQuestions, query: RunQuery, runs: number): Promise<RunPage> {
  const first = await askPage(collector, query, Math.min(Math.max(runs, RUNS_PER_PAGE), RUNS_PER_PAGE_MAX));
  let rows = first.rows;
  let cursor = first.nextCursor;
  while (rows.length < runs && cursor !== undefined) {
    const next = await askPage(collector, { ...query, cursor }, RUNS_PER_PAGE_MAX);
    rows = [...rows, ...next.rows];
    cursor = next.nextCursor;
  }
  return { ...first, rows, nextCursor: cursor };
}

/** The list of runs as far as it was read. */
export interface RunsRead {
  readonly first: Asked<RunPage>;
  readonly rows: readonly RunRow[];
  readonly hasMore: boolean;
  /** Why the runs before these are not there yet. */
  readonly failure: AskFailure | undefined;
  readonly readMore: () => void;
  readonly again: () => void;
}

/** Runs that pass the filters, page by page; at once as far as they had been read when the list was left. */
export function useRuns(query: RunQuery): RunsRead {
  const collector = useContext(CollectorContext);
  const key = JSON.stringify(query);
  const [first, again] = useAnswer(key, () => askAgain(collector, query, readListPlace()?.runs ?? 0));
  const [more, setMore] = useState<{ after: unknown; pages: readonly RunPage[]; failure?: AskFailure }>({
    after: undefined,
    pages: [],
  });
  const answer = first.state === 'answered' ? first.answer : undefined;
  // Pages belong to the first one that they follow.
  const pages = more.after === answer ? more.pages : [];
  const last = pages.at(-1) ?? answer;
  const reading = useRef<AbortController>(undefined);
  useEffect(() => () => reading.current?.abort(), [answer]);
  const readMore = (): void => {
    // Asked for twice, as by a double click, it is the same page, and replaces it.
    reading.current?.abort();
    const ending = new AbortController();
    reading.current = ending;
    void askUntilAnswered(() => askPage(collector, { ...query, cursor: last?.nextCursor }), {
      signal: ending.signal,
      onAnswer: (page) => setMore({ after: answer, pages: [...pages, page] }),
      onFailure: (failure) => setMore({ after: answer, pages, failure }),
    });
  };
  const rows = useMemo(
    () => (answer === undefined ? [] : [answer, ...pages].flatMap((page) => page.rows)),
    [answer, more],
  );
  const failure = more.after === answer ? more.failure : undefined;
  return { first, rows, hasMore: last?.nextCursor !== undefined, failure, readMore, again };
}
