import { API_OPERATIONS, type DriftAnswer } from '@reenact/trace-model/collector-api';
import type { Store } from '../store/store.ts';
import { type Answerer, answerJson, lackingRuns, parametersOf } from './answer.ts';
import { DRIFTS_PER_PAGE_DEFAULT } from './limits.ts';
import type { Summariser } from './summaries/summariser.ts';

/** `GET /api/v1/drift`: crossings of recorded runs that had equal input and different outcomes. */
export function createDriftAnswerer(store: Store, summariser: Summariser): Answerer {
  return async (question) => {
    const query = parametersOf(question, API_OPERATIONS.listDrift.parameters);
    const unsummarised = await summariser.catchUp(question.tenant);
    const found = await store.listDrift(question.tenant, query, query.limit ?? DRIFTS_PER_PAGE_DEFAULT);
    return answerJson({ ...found, ...lackingRuns(unsummarised) } satisfies DriftAnswer);
  };
}
