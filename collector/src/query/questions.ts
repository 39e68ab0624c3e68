import { API_OPERATIONS, API_PREFIX, type ApiOperationId } from '@reenact/trace-model/collector-api';
import type { Answerer } from './answer.ts';
import { createComparisonAnswerer } from './comparison/compare-runs.ts';
import type { ComparisonThread } from './comparison/comparison-thread.ts';
import { createDriftAnswerer } from './drift.ts';
import { answerLive, createReadyAnswerer } from './health.ts';
import { createLogsAnswerer } from './logs.ts';
import { createSpanAnswerer } from './one-span.ts';
import { createOpenApiAnswerer } from './open-api.ts';
import { createRecordingsAnswerer } from './recordings.ts';
import { HEALTH_PREFIX, type QuestionTable } from './router.ts';
import { createRunTreeAnswerer, type RunTreeSources } from './run-tree.ts';
import { createRunsAnswerer } from './runs.ts';
import { createSearchAnswerer } from './search.ts';
import { createStatsAnswerer, type StatsSources } from './stats.ts';
import type { Tail } from './tail/tail.ts';
import { createUsageAnswerer } from './usage.ts';

/** What answers are made of. */
export interface QuestionSources extends RunTreeSources {
  readonly tail: Tail;
  readonly comparisons: ComparisonThread;
  readonly stats: StatsSources;
}

/** Every question of the API with its answerer, and those about health. */
export function createQuestions(sources: QuestionSources): QuestionTable {
  const { store, traces, summariser, prices, tail, comparisons, stats } = sources;
  const answerers: Record<ApiOperationId, Answerer> = {
    listRuns: createRunsAnswerer(sources, prices),
    getRun: createRunTreeAnswerer(sources),
    searchRuns: createSearchAnswerer(sources, prices),
    sumUsage: createUsageAnswerer(store, summariser, prices),
    tailRuns: tail.answerer(),
    listDrift: createDriftAnswerer(store, summariser),
    compareRuns: createComparisonAnswerer(store, comparisons),
    getRecording: createRecordingsAnswerer(store, traces),
    getSpan: createSpanAnswerer(store, traces),
    getLogs: createLogsAnswerer(store, traces),
    getStats: createStatsAnswerer(stats),
    getOpenApi: createOpenApiAnswerer(),
  };
  const questions = Object.entries(answerers).map(
    ([id, answerer]) => [`${API_PREFIX}${API_OPERATIONS[id as ApiOperationId].path}`, answerer] as const,
  );
  return new Map([
    ...questions,
    [`${HEALTH_PREFIX}/live`, answerLive],
    [`${HEALTH_PREFIX}/ready`, createReadyAnswerer(store)],
  ]);
}
