import { API_OPERATIONS, type RunList } from '@reenact/trace-model/collector-api';
import { type Answerer, answerJson, lackingRuns, parametersOf } from './answer.ts';
import { RUNS_PER_PAGE_DEFAULT } from './limits.ts';
import { type PageSources, pageOfRuns } from './page-of-runs.ts';
import type { PriceTable } from './price-table.ts';

/** `GET /api/v1/runs`: runs newest first. What was acknowledged before the question is in the answer, or counted as lacking. */
export function createRunsAnswerer(sources: PageSources, prices: PriceTable): Answerer {
  return async (question) => {
    const query = parametersOf(question, API_OPERATIONS.listRuns.parameters);
    const limit = query.limit ?? RUNS_PER_PAGE_DEFAULT;
    const { runs, next, unsummarised, waiting, followFrom } = await pageOfRuns(sources, question.tenant, query, limit);
    const list: RunList = {
      runs: runs.map((run) => prices.priced(run)),
      ...(next === undefined ? {} : { nextCursor: next }),
      ...lackingRuns(unsummarised),
      ...(unsummarised === 0 ? {} : { unsummarisedTraceIds: waiting.map(({ traceId }) => traceId) }),
      followFrom,
    };
    return answerJson(list);
  };
}
