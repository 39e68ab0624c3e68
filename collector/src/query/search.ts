import { API_OPERATIONS, type FoundRun, type RunSummary, type SearchAnswer } from '@reenact/trace-model/collector-api';
import { readSought, type SoughtPhrase } from '../store/search/sought-phrases.ts';
import type { Store } from '../store/store.ts';
import { type Answerer, answerJson, lackingRuns, parametersOf } from './answer.ts';
import { FOUND_PER_PAGE_DEFAULT, SEARCH_HITS_PER_RUN_MAX } from './limits.ts';
import { type PageSources, pageOfRuns } from './page-of-runs.ts';
import type { PriceTable } from './price-table.ts';
import { countFound, snippetOf } from './snippet.ts';

/** `GET /api/v1/search`: runs that have all of the words, and where they stand. */
export function createSearchAnswerer(sources: PageSources, prices: PriceTable): Answerer {
  return async (question) => {
    const query = parametersOf(question, API_OPERATIONS.searchRuns.parameters);
    const phrases = readSought(query.text);
    const limit = query.limit ?? FOUND_PER_PAGE_DEFAULT;
    const { runs, next, unsummarised } = await pageOfRuns(sources, question.tenant, query, limit);
    const find = async (run: RunSummary): Promise<FoundRun> => ({
      run: prices.priced(run),
      hits: await hitsIn(sources.store, question.tenant, run, phrases),
    });
    const answer: SearchAnswer = {
      found: await Promise.all(runs.map(find)),
      ...(next === undefined ? {} : { nextCursor: next }),
      ...lackingRuns(unsummarised),
    };
    return answerJson(answer);
  };
}

async function hitsIn(
  store: Store,
  tenant: string,
  { traceId }: RunSummary,
  phrases: readonly SoughtPhrase[],
): Promise<FoundRun['hits']> {
  const texts = await store.readTexts(tenant, traceId);
  return texts
    .map((text) => ({ ...text, count: countFound(text.text, phrases) }))
    .filter(({ count }) => count > 0)
    .toSorted((left, right) => right.count - left.count)
    .slice(0, SEARCH_HITS_PER_RUN_MAX)
    .map(({ spanId, part, text }) => ({ spanId, part, snippet: snippetOf(text, phrases) ?? [] }));
}
