import { API_OPERATIONS, type UsageAnswer } from '@reenact/trace-model/collector-api';
import type { Store } from '../store/store.ts';
import { type Answerer, answerJson, lackingRuns, parametersOf } from './answer.ts';
import type { PriceTable } from './price-table.ts';
import type { Summariser } from './summaries/summariser.ts';

/** `GET /api/v1/usage`: tokens by model over all runs that pass the filters. */
export function createUsageAnswerer(store: Store, summariser: Summariser, prices: PriceTable): Answerer {
  return async (question) => {
    const filters = parametersOf(question, API_OPERATIONS.sumUsage.parameters);
    const unsummarised = await summariser.catchUp(question.tenant);
    const { runs, models } = await store.sumUsage(question.tenant, filters);
    const cost = prices.costOf(models);
    const answer: UsageAnswer = {
      runs,
      inputTokens: models.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
      outputTokens: models.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
      models: [...models],
      ...(cost === undefined ? {} : { cost }),
      ...lackingRuns(unsummarised),
    };
    return answerJson(answer);
  };
}
