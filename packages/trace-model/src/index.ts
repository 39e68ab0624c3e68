export { absentClasses } from './absent-classes.ts';
export { attemptHeaders } from './attempt-headers.ts';
export {
  BOUNDARY_KINDS,
  type BoundaryKind,
  CALL_SHAPES,
  CAPTURE_LEVELS,
  type CallShape,
  type CaptureLevel,
  changesTheWorld,
  defaultEffect,
  EFFECTS,
  type Effect,
} from './boundary.ts';
export {
  CANONICAL_POLICIES,
  type CanonicalPolicy,
  canonicalKey,
  canonicalKeyOfTree,
  canonicalPolicy,
  canonicalTree,
  inputAsRecordedUnder,
  isComparedMember,
  isDelivery,
  semconvMessagesPolicy,
} from './canonical-input.ts';
export { type ClassFinder, type ModelledObject, setClassFinder } from './class-finder.ts';
export { closestName } from './closest-name.ts';
export { type Crossing, crossingLabel, type Outcome, type StreamChunk } from './crossing.ts';
export { crossingFacts, flagsOf, inputPreview, outcomePreview } from './crossing-preview.ts';
export { digestOf, PiecewiseDigest } from './digest.ts';
export {
  type Candidate,
  type CausedBy,
  DIVERGENCE_KINDS,
  type Divergence,
  type DivergenceKind,
  isPrecondition,
  type SourceLine,
} from './divergence.ts';
export {
  BETWEEN_RUNS,
  CLOCK_FUNCTIONS,
  type ClockFunction,
  DRAWS_MARK,
  type DrawFunction,
  LATE_DRAWS_MARK,
  type LateDraws,
  RANDOM_FUNCTIONS,
  type RandomFunction,
  type RecordedDraws,
  type RecordedTickOrigin,
  type TickFunction,
} from './draws.ts';
export type { ErrorClass } from './error-class.ts';
export {
  type ErrorRecord,
  errorType,
  isOfKnownErrorClass,
  registerErrorClass,
} from './error-record.ts';
export { registerErrorSymbols } from './error-symbols.ts';
export {
  chunkBytes,
  type Exchange,
  type ExchangeChunk,
  type ExchangeResponse,
  type InterimAnswer,
  toChunk,
} from './exchange.ts';
export { finishReason } from './finish-reason.ts';
export { type GenAiMessage, type GenAiPart, genAiMessage } from './genai-message.ts';
export {
  INPUT_DELIVERY_NAME,
  type InputPiece,
  inputPiecesOf,
  isInputBefore,
  isInputDelivery,
} from './input-delivery.ts';
export { isInboundRequest, isInboundRpc, isSentAgain } from './is-sent-again.ts';
export { type DiffEntry, diffTrees, type JsonDiff } from './json-diff.ts';
export { isJson, JsonWalk } from './json-scan.ts';
export { canonicalJson, isTree, pathStep } from './json-tree.ts';
export { isMessageOfProcess } from './message-of-process.ts';
export { missingAdvice } from './missing-advice.ts';
export { MISSING_CAUSES, type MissingCause } from './missing-causes.ts';
export { isOwnServer, markOwnServer } from './own-server.ts';
export {
  isIntact,
  isStringified,
  PAYLOAD_FORMATS,
  type Payload,
  type PayloadFormat,
  payloadOf,
  stringifiedPayload,
  verifiedPayload,
} from './payload.ts';
export { payloadTree } from './payload-tree.ts';
export { claimRegistration, isInOwnContext, processGlobal } from './process-global.ts';
export { PROCESS_RUN_LABEL, PROCESS_RUN_NAME, startersOfProcesses } from './process-run.ts';
export { processState } from './process-state.ts';
export type {
  ReconstructedMessage,
  ReconstructedOutput,
} from './reconstructed-output.ts';
export { recordedCommand } from './recorded-command.ts';
export type { Recording } from './recording.ts';
export {
  describeError,
  ERROR_CODES,
  type ErrorCode,
  isReenactError,
  ReenactError,
  type ReenactErrorOptions,
  toReenactError,
} from './reenact-error.ts';
export {
  type Audit,
  type CrossingAnswer,
  EDIT_POLICIES,
  type EditPolicy,
  type IgnoredField,
  LOOK_UP_RUNGS,
  type LookUpRung,
  PROFILES,
  type Profile,
  type RepeatedNote,
  type ReplayedCrossing,
  type ReplayedRunBeside,
  type ReplayedRunsBeside,
  type ReplayedSetUp,
  type ReplayReport,
  type ReportedEdit,
  type RunOutcome,
  VERDICT_EXIT_CODES,
  type Verdict,
} from './replay-report.ts';
export {
  isEnterable,
  isStartUntold,
  needsEntry,
  type OfferedRecording,
  offeredReplay,
  replayingCommand,
  replayWords,
} from './replay-words.ts';
export {
  BEGUN_MARK,
  bearsOnReplay,
  CONNECTIONS_MARK,
  INPUT_MARK,
  isMarkOfCode,
  type Missing,
  NODE_PROGRAM,
  PROMISE_MARK,
  RESULTS_MARK,
  type Replayability,
  replayabilityOf,
  UNSENT_BODY_MARK,
  UPGRADED_MARK,
} from './replayability.ts';
export type { RequestsBeside, RunBeside, RunLink, RunsBeside } from './run-beside.ts';
export { runsAgain } from './runs-again.ts';
export { parseSelector, type Selector, type SelectorTarget, selectorMatches } from './selector.ts';
export { semconvMember } from './semconv-messages.ts';
export type { SetUp, SetUpLink } from './set-up.ts';
export { isSignalDelivery, isTellingSignal } from './signal-delivery.ts';
export { StringifiedJson } from './stringified-json.ts';
export { SENDS_TELEMETRY } from './telemetry-mark.ts';
export { hasContent, payloadOfTree, sharedTreeOf } from './tree-payload.ts';
export {
  isKnownInstance,
  type LibraryClassOptions,
  registerLibraryClass,
  registerValueClass,
  type ValueClass,
} from './value-classes.ts';
export { decodeValue, type EncodedValue, encodeValue } from './value-codec.ts';
export { comparedHeaders, isVolatileHeader } from './volatile-headers.ts';
