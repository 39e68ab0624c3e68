export { API_PREFIX, type ApiError, apiErrorSchema } from './api-error.ts';
export { API_OPERATIONS, type ApiOperation, type ApiOperationId } from './api-operations.ts';
export {
  CIRCUMSTANCES,
  type Circumstance,
  type Drift,
  type DriftAnswer,
  type DriftQuery,
  driftAnswerSchema,
  driftQuerySchema,
} from './drift-answer.ts';
export { openApiDocument } from './open-api-document.ts';
export { type ParameterSchema, type ReadParameters, readParameters, writeParameters } from './read-parameters.ts';
export {
  type ComparedDifference,
  type ComparedPlace,
  type ComparedPlaces,
  type ComparedStatus,
  type ComparedStep,
  type ComparisonQuery,
  comparisonQuerySchema,
  type RunComparison,
  runComparisonSchema,
} from './run-comparison.ts';
export type { ToldFailedSpan, ToldRunFailure } from './run-failure.ts';
export {
  RUN_FACETS,
  RUNS_PER_PAGE_MAX,
  type RunFacet,
  type RunFilters,
  type RunQuery,
  runFilterSchema,
  runQuerySchema,
  type SearchQuery,
  type SpanQuery,
  searchQuerySchema,
  spanQuerySchema,
} from './run-filters.ts';
export { type RunList, type RunOrigin, type RunSummary, runListSchema, runSummarySchema } from './run-summary.ts';
export { type CrossingNode, type OtherSpan, type RunTree, runTreeSchema } from './run-tree.ts';
export { type FoundRun, type SearchAnswer, searchAnswerSchema, TEXT_PARTS, type TextPart } from './search-answer.ts';
export {
  type TailEvent,
  type TailQuery,
  tailEventSchema,
  tailParametersSchema,
  tailQuerySchema,
} from './tail-event.ts';
export {
  type Cost,
  costSchema,
  type ModelUsage,
  type UsageAnswer,
  usageAnswerSchema,
} from './token-usage.ts';
