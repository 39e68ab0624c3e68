export { type DiffTextOptions, renderDiff } from './compare/render-diff.ts';
export { renderDiffMarkdown } from './compare/render-diff-markdown.ts';
export { defineReenact, type EntryLoader, type ReenactConfig } from './config/config-schema.ts';
export type { EntryFunction } from './config/entry-function.ts';
export type { EntryOrder } from './config/entry-order.ts';
export { findConfigFile } from './config/find-config-file.ts';
export { entryLine, resolveReference } from './config/load-entry.ts';
export { type DebugCommandOptions, debugCommand } from './debug-command.ts';
export type { JoinedEntry } from './entry/joined-entry.ts';
export type { GuardOptions } from './guard/guard-options.ts';
export { type GuardRequest, installGuard, prepareGuard } from './guard/install-guard.ts';
export { type JoinedReplay, joinReplay, type ReplayExport } from './join-replay.ts';
export { type JoinedThread, joinThread } from './join-thread.ts';
export { PLAN_FILE_BYTES_MAX } from './limits.ts';
export { EDIT_PARTS, type EditTarget } from './plan/edit-target.ts';
export {
  type FailRule,
  type Failure,
  type IgnoreRule,
  type Plan,
  type PlanFile,
  type PlanRule,
  POLICIES,
  type Policy,
} from './plan/plan-schema.ts';
export { RecordedPlayer } from './player/recorded-player.ts';
export type { RecordedPlayerOptions } from './player/recorded-player-options.ts';
export { type AuditedReplay, replayAudited } from './process/audited-replay.ts';
export { hookFlag } from './process/child-environment.ts';
export type { Listening } from './process/listening-file.ts';
export { type WatchedDriver, watchDriver } from './process/replay-driver.ts';
export { type ChildOptions, type Companion, runChild } from './process/run-child.ts';
export type { ReplayProgress } from './process/watch-progress.ts';
export { type OriginTextOptions, renderValueOrigin } from './provenance/render-value-origin.ts';
export { traceValue } from './provenance/trace-value.ts';
export type { ValueOrigin } from './provenance/value-origin.ts';
export { type ReplayedCode, type ReplayOptions, type ReplayResult, type ReplaySettings, replay } from './replay.ts';
export { type ReplayAllOptions, replayAll } from './replay-all.ts';
export { type ReplayCommandOptions, replayCommand } from './replay-command.ts';
export { checkReplayable } from './report/check-replayable.ts';
export {
  type Coverage,
  type CoverageGap,
  coverageOf,
  type GapCause,
  renderCoverage,
} from './report/coverage.ts';
export { cellText, inertText } from './report/markdown-text.ts';
export { renderJson } from './report/render-json.ts';
export { type MarkdownOptions, renderMarkdown } from './report/render-markdown.ts';
export { renderText, type TextOptions } from './report/render-text.ts';
export { buildReport, type ReportInput } from './report/report-builder.ts';
export { type EditOption, makePlan, type PlanOptions, parsePlanFile } from './resolution/plan.ts';
export { type PlanForRun, planForRun } from './resolution/plan-for-run.ts';
export { type RecordedProvider, type ServeOptions, serveRecording } from './serve/serve-recording.ts';
export { type ReplayServicesOptions, replayServices } from './service/replay-services.ts';
export { SharedReplays } from './service/shared-replays.ts';
export {
  type ReplayServiceSettings,
  replayServiceSettings,
  sharedReplaySettings,
} from './service/shared-settings.ts';
export { installTime, prepareTime, type TimeRequest } from './time/install-time.ts';
export { installThreadNumbers } from './time/patches/thread-numbers.ts';
export { PACES, type Pace } from './time/schedule/pace.ts';
