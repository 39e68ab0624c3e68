export { answerToJoin, type JoinAnswer } from './answer-to-join.ts';
export { BodyTape } from './body-tape.ts';
export {
  agent,
  type BoundaryDecorator,
  type BoundaryFunction,
  type BoundaryMaker,
  boundary,
  guardrail,
  retrieval,
  tool,
} from './boundaries.ts';
export type { BoundaryDefinition, SemconvView } from './boundary-definition.ts';
export { type BoundaryOptions, defineBoundary } from './boundary-options.ts';
export { type AnyFunction, wrapBoundary } from './boundary-wrapper.ts';
export { bytesWithin } from './bytes-within.ts';
export { childVariables, environmentContext, type GivenVariable } from './child-context.ts';
export { childOccurrence } from './child-occurrence.ts';
export { claimServer, isClaimedServer } from './claimed-server.ts';
export type { Announcements } from './clients/announcements.ts';
export { betterSqlite3Client } from './clients/better-sqlite3-client.ts';
export type { ClientMethodName, MethodNameOf } from './clients/boundary-client.ts';
export type {
  AroundCall,
  ClientCall,
  ClientCallView,
  ClientDefinition,
  ClientMethod,
  ClientStep,
  ReturnedObject,
} from './clients/client-definition.ts';
export type { ClientOptions } from './clients/client-options.ts';
export { DRIVERS, hasWrappedClient } from './clients/drivers.ts';
export { ioredisClient } from './clients/ioredis-client.ts';
export { mongodbClient } from './clients/mongodb-client.ts';
export { mysql2Client } from './clients/mysql2-client.ts';
export { pgClient } from './clients/pg-client.ts';
export { redisClient } from './clients/redis-client.ts';
export { sqliteClient } from './clients/sqlite-client.ts';
export { wrapClient } from './clients/wrap-client.ts';
export { type AskToJoin, confirmed } from './confirm-joined.ts';
export { type ConnectTarget, connectTarget } from './connections/connect-target.ts';
export { type DatagramTarget, datagramConnectTarget, sendTarget } from './connections/datagram-target.ts';
export { installConnectionWatch } from './connections/install-connection-watch.ts';
export { asksNameServer, nameAsked } from './connections/name-query.ts';
export { UNDICI_MAJORS } from './connections/patched-undici.ts';
export { adoptProcessConnections } from './connections/record-connection.ts';
export type { CrossingFacts, RecordedOutcome, Recorder, ReplayMark } from './crossing-facts.ts';
export { type CrossingScope, type RunState, scopeOf } from './crossing-scope.ts';
export { cryptoOwners } from './crypto-owners.ts';
export { admit, gate, installDedicatedPlayer, wireMode } from './current-gate.ts';
export { DROP_CAUSES, type DropCause } from './drop-counter.ts';
export { enclosingSpan } from './enclosing-span.ts';
export { exchangeText, type FetchAttempt, type FetchExchangeProtocol, isEventStream } from './fetch-exchange.ts';
export { exchangeError, thrownOf } from './fetch-exchange-error.ts';
export { FetchExchangeRecorder } from './fetch-exchange-record.ts';
export { type FetchServeOptions, serveFetchExchange, untilAborted } from './fetch-exchange-serve.ts';
export { isFetchRead, whileFetching } from './fetch-reads.ts';
export { EVENT_FEATURE_FLAG_EVALUATION } from './flag-event.ts';
export { type Flushed, type FlushOptions, flush } from './flush.ts';
export type {
  Admission,
  GateCall,
  LiveOutcomeChunks,
  OpenCrossing,
  RawOutcome,
  SpanStart,
  SparseAttributes,
} from './gate.ts';
export type { GateConfiguration } from './gate-configuration.ts';
export { hookEsModules } from './hook-es-modules.ts';
export { configureHostContent, type HostContentPolicy } from './host-content.ts';
export { HostList } from './host-list.ts';
export { httpCoverage } from './http-coverage.ts';
export { httpMembers } from './http-members.ts';
export { contextWithIdentity, type Identity, identityOf } from './identity.ts';
export type { RequiredIdentity } from './identity-requirement.ts';
export type { InputSchema, InputSchemas, SchemaIssue } from './input-schema.ts';
export { installChildContext } from './install-child-context.ts';
export { type DrawRecordingOptions, installDrawRecording } from './install-draw-recording.ts';
export {
  askToJoin,
  askToJoinOver,
  JOIN_PROOF_HEADER,
  JOIN_QUESTION_HEADER,
  JOIN_QUESTION_METHOD,
  type QuestionFailed,
} from './join-question.ts';
export { ListeningWatch } from './listening-watch.ts';
export { MemberPatcher } from './member-patcher.ts';
export { jsonOrText, listOf, type Members, membersOf, numberOf, stringOf } from './members.ts';
export { microsecondsBetween, toHrTime, unixNanoNow } from './monotonic-clock.ts';
export { handedOn, observePromise, type PromiseObserver } from './observe-promise.ts';
export {
  type FlagEvaluationDetails,
  type FlagHook,
  type FlagHookContext,
  openFeatureHook,
} from './open-feature-hook.ts';
export { asOwnWork, isOwnWork } from './own-work.ts';
export {
  type FetchOwner,
  fetchOfOwner,
  fetchOwnerOf,
  installOwnedFetch,
  type OwnedRequest,
  withFetchOwner,
} from './owned-fetch.ts';
export { isWireOwned, withOwnedWire } from './owned-wire.ts';
export { type PackageCopy, packageOf } from './package-of.ts';
export {
  type AnyFunction as PlatformFunction,
  type Behaviour,
  disguised,
  PatchSet,
  publishedOnce,
  wrapFunction,
} from './patch-set.ts';
export { type PlaceBelow, placeBelow, withPlaceBelow } from './place-below.ts';
export type { Answer, Arrival, Delivery, LiveOutcome, Player, Position, Release } from './player.ts';
export { positionOf, withPosition } from './position.ts';
export { pristine } from './pristine.ts';
export { ProcessGate } from './process-gate.ts';
export { type PropagatedHeader, propagatedHeaders } from './propagated-headers.ts';
export { PROPAGATION_VARIABLE, travelsTo, travelsToUrl } from './propagation-list.ts';
export { adoptProcessDraws, recordBytes, recordTime, recordValue, tickTape } from './record-draw.ts';
export { type ClosedSpool, RecordingProcessor, type RecordingProcessorOptions } from './recording-processor.ts';
export { recordingView } from './recording-view.ts';
export { type MessageField, messageFields } from './redaction/message-fields.ts';
export type { FieldName, MessageNames } from './redaction/message-names.ts';
export { comparableText, holdsPlaceholder, isPlaceholder } from './redaction/placeholder.ts';
export {
  configureRedaction,
  prepareRedaction,
  redactionCounts,
  redactionRuleIds,
} from './redaction/process-redaction.ts';
export { isCredentialHeader, recordedHeaders, redactedUrl } from './redaction/recorded-headers.ts';
export { redactAttributes, redactEncoded, redactMessage, redactText } from './redaction/redact-crossing.ts';
export { isWithheld } from './redaction/redact-headers.ts';
export { type RedactionOptions, type RedactionRule, RULE_ID_PATTERN } from './redaction/redaction-options.ts';
export { guarded, reportFailure } from './report-failure.ts';
export { identify, keep, withIdentity } from './run-context.ts';
export { runInContext } from './run-in-context.ts';
export { runTapped } from './run-tapped.ts';
export type { ClientAttempt, SentRequest } from './sent-request.ts';
export { servableExchange, startedAfterUs } from './servable-exchange.ts';
export { serveStub } from './serve-stub.ts';
export { type StubAdmission, servedValue } from './served-value.ts';
export { readServerSentEvents, type ServerSentEvent } from './server-sent-events.ts';
export { type CapturedCall, callerLine, captureCall, userFrame } from './source-line.ts';
export { definedAttributes } from './span-attributes.ts';
export { spanView } from './span-view.ts';
export {
  type DeliveredLeftovers,
  deliverLeftovers,
  deliverSpoolFolder,
  type LeftoverDelivery,
} from './spool/deliver-leftovers.ts';
export type { SpoolLimits } from './spool/spool.ts';
export { listSpoolFolders, type SpoolFolder } from './spool/spool-folders.ts';
export type { SpoolOptions, SpoolState } from './spool/spool-keeper.ts';
export { destinationKey, type SpoolOwner, thisOwner } from './spool/spool-owner.ts';
export { isSpoolOff, preparePlace, spoolPlaces } from './spool/spool-place.ts';
export { isSameSender, senderOf } from './spool/spool-sender.ts';
export { tracesEndpoint } from './spool/traces-endpoint.ts';
export { isPatchable, patchClient, patchClientPrototype } from './stainless/client-patch.ts';
export { eventObjects } from './stainless/event-objects.ts';
export { exportedPrototype } from './stainless/exported-prototype.ts';
export { patchLoadedClass, patchLoadedClasses, unpatchLoadedClasses } from './stainless/loaded-classes.ts';
export { modelGateCall } from './stainless/model-gate-call.ts';
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
export { StreamTape } from './stream-tape.ts';
export { msOfTick, secondsOfTick } from './tick-origin.ts';
export { timerDelayMs } from './timer-delay.ts';
export type { TimerKey } from './timer-tape.ts';
export { toolCallIdOf, withToolCallId } from './tool-call-id.ts';
export { crossingTally } from './traps/crossing-tally.ts';
export { flaggedTally } from './traps/flagged-tally.ts';
export { reportSettingTraps } from './traps/setting-traps.ts';
export { trapLog } from './traps/trap-log.ts';
export { TRAPS, type Trap, type TrapDescription, type TrapKind, type TrapSeverity } from './traps/traps.ts';
export {
  POSITION_MEMBER,
  positionBaggage,
  positionReady,
  travelledPosition,
  withoutPositionMember,
} from './travelled-position.ts';
export { incomingTraceContext, outgoingTraceContext } from './travelled-trace-context.ts';
export { INSTRUMENTATION_NAME, INSTRUMENTATION_VERSION } from './version.ts';
export { watchContexts } from './watch-contexts.ts';
