export { type CheckedConfig, checkCollectorConfig } from './check-config.ts';
export { Collector, type CollectorOptions, type RunningCollector, startCollector } from './collector.ts';
export {
  CONFIG_KEYS,
  type CollectorConfig,
  type CollectorConfigInput,
  type Destination,
  parseCollectorConfig,
} from './config.ts';
export type { ReceivedCounters } from './counters.ts';
export type { DestinationHealth } from './forward/destination-health.ts';
export { shownUrl } from './forward/shown-url.ts';
export type { LogSink } from './logging/log.ts';
export { type CollectorMemory, collectorMemoryOf } from './memory/memory-share.ts';
export type { CollectorStats } from './query/stats.ts';
export { type ReadConfig, ReloadableCollector, type ReloadOutcome } from './reloadable-collector.ts';
export { runStoreRequest } from './requests/run-store-request.ts';
export type { StoreOutcome, StoreRequest } from './requests/store-request.ts';
export type { GoingOfTenant, GoingRun, GoingRuns, RetentionPreview } from './retention/preview-retention.ts';
export { openStore, type StoreOptions } from './store/open-store.ts';
export type {
  AppendResult,
  CrossingText,
  Destinations,
  MetricsRequest,
  NumberedRun,
  Observation,
  PassedCollectors,
  QueuedBatch,
  QueuedSignal,
  RetentionPolicy,
  RunFacets,
  RunPage,
  SearchableTexts,
  StaleTrace,
  Store,
  StoreCapabilities,
  StoredGroup,
  StoredItem,
  StoredSpan,
  StoreStats,
  SummarisedRun,
  SummarisedTrace,
  TraceName,
  UsageSums,
} from './store/store.ts';
export type { StoreProblem } from './store/verify/store-problem.ts';
export { type VerifyOptions, type VerifyReport, verifyStore } from './store/verify/verify-store.ts';
