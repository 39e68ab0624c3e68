import type { CollectorQuestions } from '@reenact/collector-client/collector-questions';
import type { RunQuery } from '@reenact/trace-model/collector-api';
import { useContext, useState } from 'preact/hooks';
import { CollectorContext } from '../reading/collector-context.ts';
import { type Asked, useAnswer } from '../reading/use-answer.ts';
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
      // Asked for twice, as by a double click, it is the same page, and replaces it.
      (page) => setMore({ after: first, pages: [...pages, page] }),
      (failure: unknown) => setMore({ after: first, pages, failure }),
    );
  };
  const rows = first.state === 'answered' ? [first.answer, ...pages].flatMap((page) => page.rows) : [];
  const failure = more.after === first ? more.failure : undefined;
  return { first, rows, hasMore: last?.nextCursor !== undefined, failure, readMore, again };
}
