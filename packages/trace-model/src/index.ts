export { isLoopback } from './addresses/is-loopback.ts';
export { type UrlPlace, urlPlace } from './addresses/url-place.ts';
export { closestName } from './closest-name.ts';
export { answeredText, askedText } from './crossings/asked-and-answered.ts';
export { attemptHeaders } from './crossings/attempt-headers.ts';
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
} from './crossings/boundary.ts';
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
} from './crossings/canonical-input.ts';
export {
  type Crossing,
  crossingLabel,
  type Outcome,
  type PendingOutcome,
  type ShownCrossing,
  type StreamChunk,
  type StreamReader,
} from './crossings/crossing.ts';
export { crossingFacts, flagsOf, inputPreview, outcomePreview } from './crossings/crossing-preview.ts';
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
} from './crossings/draws.ts';
export {
  chunkBytes,
  type Exchange,
  type ExchangeChunk,
  type ExchangeResponse,
  type InterimAnswer,
  isKeptAsText,
  toChunk,
} from './crossings/exchange.ts';
export { exchangeText, isEventStream } from './crossings/exchange-text.ts';
export { finishReason } from './crossings/finish-reason.ts';
export { type GenAiMessage, type GenAiPart, genAiMessage } from './crossings/genai-message.ts';
export { READING_FUNCTIONS, type ReadingFunction } from './crossings/reading-functions.ts';
export type {
  ReconstructedMessage,
  ReconstructedOutput,
} from './crossings/reconstructed-output.ts';
export { parseSelector, type Selector, type SelectorTarget, selectorMatches } from './crossings/selector.ts';
export { holdsLongNumber, semconvMember } from './crossings/semconv-messages.ts';
export { senderVersions } from './crossings/sender-versions.ts';
export { readServerSentEvents, type ServerSentEvent } from './crossings/server-sent-events.ts';
export { unwrittenOutcome } from './crossings/unwritten-outcome.ts';
export { comparedHeaders, isVolatileHeader } from './crossings/volatile-headers.ts';
export {
  INPUT_DELIVERY_NAME,
  type InputPiece,
  inputPiecesOf,
  isInputBefore,
  isInputDelivery,
} from './deliveries/input-delivery.ts';
export { isMessageOfProcess } from './deliveries/message-of-process.ts';
export { isSignalDelivery, isTellingSignal } from './deliveries/signal-delivery.ts';
export { type DoubledMember, doubledMember } from './json/doubled-member.ts';
export { endOfJson } from './json/end-of-json.ts';
export { type DiffEntry, diffTrees, type JsonDiff } from './json/json-diff.ts';
export { JSON_IN_TEXT_STEP, jsonInTexts } from './json/json-in-text.ts';
export { isJson, JsonWalk } from './json/json-scan.ts';
export { canonicalJson, isTree, pathStep } from './json/json-tree.ts';
export { wordFor } from './json/readable-text.ts';
export { StringifiedJson } from './json/stringified-json.ts';
export { meantNames } from './meant-names.ts';
export { Mistakes } from './mistakes.ts';
export { offPair } from './off-pair.ts';
export { digestOf, PiecewiseDigest } from './payloads/digest.ts';
export {
  isIntact,
  isStringified,
  PAYLOAD_FORMATS,
  type Payload,
  type PayloadFormat,
  payloadOf,
  stringifiedPayload,
  verifiedPayload,
} from './payloads/payload.ts';
export { payloadTree } from './payloads/payload-tree.ts';
export { hasContent, payloadOfTree, sharedTreeOf } from './payloads/tree-payload.ts';
export { isOwnServer, markOwnServer } from './process/own-server.ts';
export { claimRegistration, isInOwnContext, processGlobal } from './process/process-global.ts';
export { processState } from './process/process-state.ts';
export { SENDS_TELEMETRY } from './process/telemetry-mark.ts';
export { AGENT_PACKAGES } from './recordings/agent-packages.ts';
export { findRootSpan } from './recordings/find-root-span.ts';
export { isInboundRequest, isInboundRpc, isSentAgain } from './recordings/is-sent-again.ts';
export { missingAdvice } from './recordings/missing-advice.ts';
export { MISSING_CAUSES, type MissingCause } from './recordings/missing-causes.ts';
export { PROCESS_RUN_LABEL, PROCESS_RUN_NAME, startersOfProcesses } from './recordings/process-run.ts';
export { recordedCommand, shellWord } from './recordings/recorded-command.ts';
export type { Recording } from './recordings/recording.ts';
export {
  isEnterable,
  isStartUntold,
  needsEntry,
  type OfferedRecording,
  offeredReplay,
  replayingCommand,
  replayWords,
} from './recordings/replay-words.ts';
export {
  BEGUN_MARK,
  bearsOnReplay,
  CONNECTIONS_MARK,
  CONTEXTS_MARK,
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
} from './recordings/replayability.ts';
export type { RequestsBeside, RunBeside, RunLink, RunsBeside } from './recordings/run-beside.ts';
export { type FailedRun, type FailedSpan, type RunFailure, runFailure } from './recordings/run-failure.ts';
export { runsAgain } from './recordings/runs-again.ts';
export type { SetUp, SetUpLink } from './recordings/set-up.ts';
export {
  describeError,
  ERROR_CODES,
  type ErrorCode,
  errorsIn,
  isReenactError,
  ReenactError,
  type ReenactErrorOptions,
  toReenactError,
} from './reenact-error.ts';
export {
  type Candidate,
  type CausedBy,
  DIVERGENCE_KINDS,
  type Divergence,
  type DivergenceKind,
  isPrecondition,
  type SourceLine,
} from './reports/divergence.ts';
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
} from './reports/replay-report.ts';
export { type ClassFinder, type ModelledObject, setClassFinder } from './values/class-finder.ts';
export type { ErrorClass } from './values/error-class.ts';
export {
  type ErrorRecord,
  errorType,
  isOfKnownErrorClass,
  registerErrorClass,
} from './values/error-record.ts';
export { registerErrorSymbols } from './values/error-symbols.ts';
export { type ServedClasses, servedClasses } from './values/served-classes.ts';
export {
  isKnownInstance,
  type LibraryClassOptions,
  registerLibraryClass,
  registerValueClass,
  type ValueClass,
} from './values/value-classes.ts';
export { decodeValue, type EncodedValue, encodeValue, UNREADABLE_MARK } from './values/value-codec.ts';
