export { admitDescribed } from './admission/admit-described.ts';
export { admit, gate, installDedicatedPlayer, tellBegun, wireMode } from './admission/current-gate.ts';
export { isInRun } from './admission/is-in-run.ts';
export {
  agent,
  type BoundaryDecorator,
  type BoundaryFunction,
  type BoundaryMaker,
  boundary,
  guardrail,
  retrieval,
  tool,
} from './boundary/boundaries.ts';
export type { BoundaryOptions } from './boundary/boundary-options.ts';
export type { AnyFunction } from './boundary/boundary-wrapper.ts';
export type { InputSchema, InputSchemas, SchemaIssue } from './boundary/input-schema.ts';
export {
  type FlagEvaluationDetails,
  type FlagHook,
  type FlagHookContext,
  openFeatureHook,
} from './boundary/open-feature-hook.ts';
export { identify, keep, withIdentity } from './boundary/run-context.ts';
export { runTapped } from './calls/run-tapped.ts';
export { serveStub } from './calls/serve-stub.ts';
export { findDriverClasses } from './clients/find-driver-classes.ts';
export { mongodbClient } from './clients/mongodb/mongodb-client.ts';
export { mysql2Client } from './clients/mysql2/mysql2-client.ts';
export type { ClientMethodName, MethodNameOf } from './clients/object/boundary-client.ts';
export type {
  Announcements,
  AroundCall,
  ClientCall,
  ClientCallView,
  ClientDefinition,
  ClientMethod,
  ReturnedObject,
} from './clients/object/client-definition.ts';
export type { ClientOptions } from './clients/object/client-options.ts';
export type { ClientStep } from './clients/object/client-step.ts';
export { wrapClient } from './clients/object/wrap-client.ts';
export { pgClient } from './clients/pg/pg-client.ts';
export { ioredisClient } from './clients/redis/ioredis-client.ts';
export { redisClient } from './clients/redis/redis-client.ts';
export { statementEffect as sqlEffectOf } from './clients/sql/statement-effect.ts';
export { betterSqlite3Client } from './clients/sqlite/better-sqlite3-client.ts';
export { libsqlClient } from './clients/sqlite/libsql-client.ts';
export { sqliteClient } from './clients/sqlite/sqlite-client.ts';
export { sqliteModule } from './connections/databases/sqlite-module.ts';
export { appendingPath, fileToAppend } from './connections/files/appended-file.ts';
export { databaseFileEffect, openedDatabaseEffect } from './connections/files/database-file-effect.ts';
export { forgetDescriptor, forgetDescriptors, rememberDescriptor } from './connections/files/descriptor-paths.ts';
export { dumpFunctions } from './connections/files/dump-functions.ts';
export {
  descriptorEffect,
  type FileEffect,
  fileEffectOf,
  isHandle,
  makesFolders,
  opensForWriting,
  pathEffect,
} from './connections/files/file-effect.ts';
export { fileFunction, HANDLE_WRITES, readsFile } from './connections/files/file-functions.ts';
export { LogGenerations } from './connections/files/log-generations.ts';
export { absolutePath, realPath } from './connections/files/real-path.ts';
export { isBelow, isOutputOrToolScratch, isScratchFile } from './connections/files/scratch-files.ts';
export { installConnectionWatch } from './connections/install-connection-watch.ts';
export { duringLoad } from './connections/native/during-load.ts';
export { Lookout } from './connections/native/lookout.ts';
export { MadeSince, startOfReplayMs } from './connections/native/made-since.ts';
export { type NativeConnection, NativeConnections } from './connections/native/native-connections.ts';
export { NativeFiles } from './connections/native/native-files.ts';
export type { NativeEffect, NativeLibrary } from './connections/native/native-library.ts';
export { nativeLibraryOf } from './connections/native/native-library-of.ts';
export { statementPlaces } from './connections/native/statement-places.ts';
export {
  isWatchedAddOn,
  listenToAddOns,
  type NativeCall,
  type NativeListener,
  watchAddOn,
  watchLoadedAddOn,
} from './connections/native/watched-add-on.ts';
export { serveProcess, takesSignal } from './connections/served-processes.ts';
export { type ConnectTarget, connectTarget } from './connections/sockets/connect-target.ts';
export { type DatagramTarget, datagramConnectTarget, sendTarget } from './connections/sockets/datagram-target.ts';
export { noteRecordedWebSocket } from './connections/sockets/recorded-web-sockets.ts';
export { noteUnrecordedSocket } from './connections/sockets/watch-arrivals.ts';
export { withSender } from './connections/telemetry-sender.ts';
export { type ThreadMessageListener, watchThreadMessages } from './connections/threads/thread-messages.ts';
export { isToolPipe } from './connections/tool-pipe.ts';
export {
  asksForHostname,
  connectingCode,
  isCodeOfPackage,
  requestingCode,
  turnsLogOver,
} from './connections/unseen/connecting-code.ts';
export { isWrappedDriver, loadedDriver } from './connections/unseen/drivers.ts';
export { asksNameServer, nameAsked } from './connections/unseen/name-query.ts';
export { UNDICI_MAJORS } from './connections/unseen/patched-undici.ts';
export {
  adoptProcessConnections,
  recordArrival,
  recordConnection,
  recordHeard,
} from './connections/unseen/record-connection.ts';
export { bytesWithin } from './draws/bytes-within.ts';
export { answersKey, ChannelOrdinals } from './draws/channel-ordinals.ts';
export { cryptoOwners } from './draws/crypto-owners.ts';
export { isDriverId, isTracerId, isUuid } from './draws/driver-ids.ts';
export { isFetchRead, whileFetching } from './draws/fetch-reads.ts';
export { IdentifiedQuestions, repliesKey } from './draws/identified-questions.ts';
export { type DrawRecordingOptions, installDrawRecording } from './draws/install-draw-recording.ts';
export { keptAlready } from './draws/kept-bytes.ts';
export { objectIds } from './draws/object-ids.ts';
export { firingsAreTold, observeFiring } from './draws/observe-firing.ts';
export type { OutsideWork, WorkOf } from './draws/outside-work.ts';
export { type AnswerListener, patchAnswers } from './draws/patch-answers.ts';
export { patchOutsideWork } from './draws/patch-outside-work.ts';
export { patchResources, type ResourceEntry, type ResourceListener } from './draws/patch-resources.ts';
export { performanceOwner } from './draws/performance-owner.ts';
export { type ReadingOwner, readingOwners } from './draws/reading-owners.ts';
export {
  adoptProcessDraws,
  asReservedWork,
  recordBytes,
  recordImmediate,
  recordReading,
  recordTime,
  recordTimer,
  recordValue,
  reserveWork,
  tickTape,
} from './draws/record-draw.ts';
export { entriesKey, ResourceOrdinals } from './draws/resource-ordinals.ts';
export { timerDelayMs } from './draws/timer-delay.ts';
export { type ContextClock, watchContexts } from './draws/watch-contexts.ts';
export { leaveOutSpans, passOverSpans, watchSpans } from './draws/watch-spans.ts';
export { BodyTape } from './exchange/body-tape.ts';
export type {
  FetchAttempt,
  FetchExchangeProtocol,
} from './exchange/fetch-exchange.ts';
export { exchangeError, thrownOf } from './exchange/fetch-exchange-error.ts';
export { FetchExchangeRecorder } from './exchange/fetch-exchange-record.ts';
export {
  type FetchServeOptions,
  readBeyond,
  serveFetchExchange,
  untilAborted,
} from './exchange/fetch-exchange-serve.ts';
export { isByteStream } from './exchange/is-byte-stream.ts';
export { bytesOfPart, watchOutgoing } from './exchange/outgoing-stream.ts';
export { servableExchange, startedAfterUs } from './exchange/servable-exchange.ts';
export { type ExchangeEnd, settleWithExchange } from './exchange/settle-with-exchange.ts';
export { failUnheard } from './exchange/unheard-failure.ts';
export { unlessAborted } from './exchange/unless-aborted.ts';
export { DROP_CAUSES, type DropCause } from './export/drop-counter.ts';
export { atEndOfWork } from './export/end-of-work.ts';
export { type Flushed, type FlushOptions, flush } from './export/flush.ts';
export { type ClosedSpool, RecordingProcessor, type RecordingProcessorOptions } from './export/recording-processor.ts';
export type { BoundaryDefinition, SemconvView } from './gate/boundary-definition.ts';
export type { CrossingFacts, RecordedOutcome, Recorder, ReplayMark } from './gate/crossing-facts.ts';
export { EVENT_FEATURE_FLAG_EVALUATION } from './gate/flag-event.ts';
export type {
  Admission,
  GateCall,
  LiveOutcomeChunks,
  OpenCrossing,
  RawOutcome,
  SpanStart,
  SparseAttributes,
} from './gate/gate.ts';
export type { GateConfiguration } from './gate/gate-configuration.ts';
export type { RequiredIdentity } from './gate/identity-requirement.ts';
export type {
  Answer,
  Arrival,
  BegunCall,
  Delivery,
  LiveOutcome,
  LiveSpanIds,
  Player,
  Position,
  Release,
} from './gate/player.ts';
export { definedAttributes } from './gate/span-attributes.ts';
export { enclosingSpan } from './host/enclosing-span.ts';
export { heldAnswerDue, heldTelemetry, isOtlpExport, type TelemetryTarget } from './host/held-telemetry.ts';
export { isSwitchedOff } from './host/is-switched-off.ts';
export { microsecondsBetween, showSpanTime, unixNanoNow } from './host/monotonic-clock.ts';
export { foreignTarget, OwnProcesses, priorityTarget, renumber } from './host/own-processes.ts';
export { asOwnWork, isOwnWork } from './host/own-work.ts';
export { pristine } from './host/pristine.ts';
export { registeredApi } from './host/registered-api.ts';
export { guarded, reportFailure } from './host/report-failure.ts';
export { runInContext } from './host/run-in-context.ts';
export { isSpanWork } from './host/span-work.ts';
export { isSuppressedRequest } from './host/suppressed-request.ts';
export {
  asOwnTelemetry,
  isExporter,
  isOwnTelemetry,
  isTelemetryContext,
  ownTelemetryContext,
  telemetryContext,
} from './host/telemetry-context.ts';
export { isStandardInput } from './input/is-standard-input.ts';
export { type RaisedInput, raiseInput } from './input/raise-input.ts';
export { RESPONSE_VIEW_CHARACTERS_MAX, TURNS_READ_AHEAD } from './limits.ts';
export { exportedPrototype } from './patching/exported-prototype.ts';
export { hookEsModules } from './patching/hook-es-modules.ts';
export { patchLoadedClass, patchLoadedClasses, unpatchLoadedClasses } from './patching/loaded-classes.ts';
export { MemberPatcher } from './patching/member-patcher.ts';
export { type PackageCopy, packageOf } from './patching/package-of.ts';
export {
  type AnyFunction as PlatformFunction,
  type Behaviour,
  disguised,
  PatchSet,
  publishedOnce,
  wrapFunction,
} from './patching/patch-set.ts';
export { type PlaceBelow, withPlaceBelow } from './patching/place-below.ts';
export { replaceProperty } from './patching/replace-property.ts';
export { answerToJoin, type JoinAnswer } from './propagation/answer-to-join.ts';
export { environmentContext, type GivenVariable } from './propagation/child-context.ts';
export { childOccurrence, isOfCodeThatRunsAgain, isStarterThere } from './propagation/child-occurrence.ts';
export { type AskToJoin, confirmed } from './propagation/confirm-joined.ts';
export { contextWithoutPosition } from './propagation/context-without-position.ts';
export { HostList } from './propagation/host-list.ts';
export { inboundContext } from './propagation/inbound-context.ts';
export { installChildContext } from './propagation/install-child-context.ts';
export { installExtraction } from './propagation/install-extraction.ts';
export {
  askToJoin,
  askToJoinOver,
  JOIN_PROOF_HEADER,
  JOIN_QUESTION_HEADER,
  JOIN_QUESTION_METHOD,
  type QuestionFailed,
} from './propagation/join-question.ts';
export { type PropagatedHeader, propagatedHeaders } from './propagation/propagated-headers.ts';
export { hostsIn, PROPAGATION_VARIABLE, travelsToUrl } from './propagation/propagation-list.ts';
export {
  isTelemetryHost,
  isTelemetryTarget,
  TELEMETRY_HOSTS_VARIABLE,
  telemetryHosts,
} from './propagation/telemetry-hosts.ts';
export {
  POSITION_MEMBER,
  positionBaggage,
  positionReady,
  travelledPosition,
  withoutPositionMember,
} from './propagation/travelled-position.ts';
export { type MessageField, messageFields } from './redaction/messages/message-fields.ts';
export type { FieldName, MessageNames } from './redaction/messages/message-names.ts';
export { addMethodSource, type MethodMessages } from './redaction/messages/method-messages.ts';
export { recordedHeaders, redactedUrl } from './redaction/places/recorded-headers.ts';
export {
  redactAnswer,
  redactAttributes,
  redactEncoded,
  redactMembers,
  redactMessage,
} from './redaction/places/redact-crossing.ts';
export { isWithheld } from './redaction/places/redact-headers.ts';
export { comparableText, mayHoldToken } from './redaction/redactor/comparable-text.ts';
export { broughtCookies, givenCookies } from './redaction/redactor/cookie-tokens.ts';
export {
  configureRedaction,
  prepareRedaction,
  redactionCounts,
  redactionRuleIds,
  requireUsableRules,
} from './redaction/redactor/process-redaction.ts';
export { type RedactionOptions, type RedactionRule, RULE_ID_PATTERN } from './redaction/redactor/redaction-options.ts';
export {
  holdsPlaceholder,
  isPlaceholder,
  macsIn,
  PLACEHOLDER_START,
  placeholdersIn,
  rulesIn,
} from './redaction/text/placeholder.ts';
export { handedOn, type PromiseObserver } from './results/observe-promise.ts';
export { type StubAdmission, servedValue } from './results/served-value.ts';
export { StreamTape } from './results/stream-tape.ts';
export { withCallPlace } from './run/call-place.ts';
export { coveredWork } from './run/covered-work.ts';
export { type CrossingScope, type RunState, scopeOf } from './run/crossing-scope.ts';
export { asDelivery, deliveredAfterUs } from './run/delivery-callback.ts';
export { contextWithIdentity, type Identity, identityOf } from './run/identity.ts';
export { positionOf, withPosition } from './run/position.ts';
export { addSpanOfProcess, isInSpanOfProcess } from './run/spans-of-process.ts';
export { isOfTestThreads, processFileOf } from './run/test-threads.ts';
export { msOfTick, secondsOfTick } from './run/tick-origin.ts';
export type { TimerKey, TimerRecord, WorkKey } from './run/timer-tape.ts';
export { toolCallIdOf, withToolCallId } from './run/tool-call-id.ts';
export { addressWithoutSecrets } from './sending/address-without-secrets.ts';
export { type ExportOutcome, exportBatch } from './sending/export-batch.ts';
export {
  expectSignal,
  prepareSignals,
  type RaisedSignal,
  raiseSignal,
  type SentSignal,
} from './signals/raise-signal.ts';
export { signalName } from './signals/signal-name.ts';
export { watchUncaught } from './signals/watch-uncaught.ts';
export { type Callee, type CapturedCall, callerLine, captureCall, userFrame } from './source-line.ts';
export {
  type DeliveredLeftovers,
  deliverLeftovers,
  deliverSpoolFolder,
  type LeftoverDelivery,
} from './spool/deliver-leftovers.ts';
export type { SpoolLimits } from './spool/spool.ts';
export { listSpoolFolders, namesLeftBehind, type SpoolFolder } from './spool/spool-folders.ts';
export type { SpoolOptions, SpoolState } from './spool/spool-keeper.ts';
export { destinationKey, type SpoolOwner, thisOwner } from './spool/spool-owner.ts';
export { isSpoolOff, preparePlace, requirePlace, spoolPlaces } from './spool/spool-place.ts';
export { isSameSender, senderOf } from './spool/spool-sender.ts';
export { tracesEndpoint } from './spool/traces-endpoint.ts';
export { isPatchable, patchClient, patchClientPrototype } from './stainless/client-patch.ts';
export { eventObjects } from './stainless/event-objects.ts';
export { modelGateCall } from './stainless/model-gate-call.ts';
export { sdkOfClient, sdkOfVersion } from './stainless/sdk-version.ts';
export { SERVED_API_KEY } from './stainless/served-api-key.ts';
export { ServedAttempts } from './stainless/served-attempts.ts';
export { type ServerAddress, serverOf } from './stainless/server-address.ts';
export type { RequestOptions, StainlessClient } from './stainless/stainless-client.ts';
export type {
  CallSettings,
  ClientGateCall,
  CredentialMember,
  PatchSettings,
  StainlessLibrary,
} from './stainless/stainless-library.ts';
export { wireGateCall } from './stainless/wire-gate-call.ts';
export { crossingTally } from './traps/crossing-tally.ts';
export { reportEarlyTracer } from './traps/early-tracer.ts';
export { flaggedTally } from './traps/flagged-tally.ts';
export { OWN_VARIABLES, USER_VARIABLES } from './traps/reenact-variables.ts';
export { reportSettingTraps } from './traps/setting-traps.ts';
export { trapLog } from './traps/trap-log.ts';
export { TRAPS, type Trap, type TrapDescription, type TrapKind, type TrapSeverity } from './traps/traps.ts';
export { configureHostContent, type HostContentPolicy } from './view/host-content.ts';
export { jsonOrText, listOf, type Members, membersOf, numberOf, stringOf } from './view/members.ts';
export { responseFinishReason } from './view/response-finish-reason.ts';
export { spanView } from './view/span-view.ts';
export { claimServer, isClaimedServer } from './wire/claimed-server.ts';
export { httpCoverage } from './wire/http-coverage.ts';
export { httpMembers } from './wire/http-members.ts';
export { ListeningWatch } from './wire/listening-watch.ts';
export {
  type FetchOwner,
  fetchOfOwner,
  installOwnedFetch,
  type OwnedRequest,
  withFetchOwner,
} from './wire/owned-fetch.ts';
export { withOwnedWire } from './wire/owned-wire.ts';
export type { ClientAttempt, SentRequest } from './wire/sent-request.ts';
