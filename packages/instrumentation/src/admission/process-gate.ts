import {
  type Attributes,
  type Context,
  context as contexts,
  type Span,
  type SpanContext,
  trace,
} from '@opentelemetry/api';
import {
  type Crossing,
  type EncodedValue,
  encodeValue,
  isReenactError,
  payloadOf,
  ReenactError,
  stringifiedPayload,
} from '@reenact/trace-model';
import type { BoundaryDefinition } from '../gate/boundary-definition.ts';
import type { CrossingFacts, Recorder, ReplayMark } from '../gate/crossing-facts.ts';
import { EVENT_FEATURE_FLAG_EVALUATION } from '../gate/flag-event.ts';
import type { Admission, GateCall, OpenCrossing } from '../gate/gate.ts';
import type { GateConfiguration } from '../gate/gate-configuration.ts';
import type { Answer, BegunCall, LiveSpanIds, Player, Position } from '../gate/player.ts';
import { enclosingSpan } from '../host/enclosing-span.ts';
import { isSwitchedOff } from '../host/is-switched-off.ts';
import { toHrTime, unixNanoNow } from '../host/monotonic-clock.ts';
import { guarded, reportFailure } from '../host/report-failure.ts';
import { isSuppressedRequest } from '../host/suppressed-request.ts';
import { isTelemetryContext } from '../host/telemetry-context.ts';
import { FLAG_EVALUATIONS_MAX } from '../limits.ts';
import { redactEncoded } from '../redaction/places/redact-crossing.ts';
import { callPlaceOf } from '../run/call-place.ts';
import { type RunState, scopeOf, withScope } from '../run/crossing-scope.ts';
import { heldInput } from '../run/held-input.ts';
import type { Identity } from '../run/identity.ts';
import { positionOf, withPosition } from '../run/position.ts';
import type { RunUnderWay } from '../run/run-under-way.ts';
import { isInSpanOfProcess } from '../run/spans-of-process.ts';
import type { UncaughtError } from '../run/uncaught-error.ts';
import { callerLine } from '../source-line.ts';
import { isWireOwned } from '../wire/owned-wire.ts';
import { type ClientAttempt, sentRequest } from '../wire/sent-request.ts';
import { CrossingOpener, isEncoded, type Opening } from './crossing-opener.ts';
import { keepAttributes } from './keep-attributes.ts';
import type { GateCrossing } from './open-crossing.ts';

type WithoutRunning = Extract<Admission, { type: 'stub' | 'refuse' }>;

const PASS: Admission = { type: 'pass' };

/** The gate of one process: decides for every call whether it passes, is recorded, or is answered by a replay. */
export class ProcessGate {
  private configuration: GateConfiguration = {};
  private isDisabled = isSwitchedOff(process.env);
  private dedicated: Player | undefined;
  private isAskingForRoot = false;
  private readonly opener = new CrossingOpener();
  private recorders = 0;

  /** Sets the given members; the others stay. */
  configure(configuration: GateConfiguration): void {
    const { recorder } = configuration;
    if (recorder !== undefined && recorder !== this.configuration.recorder) this.recorders += 1;
    this.configuration = { ...this.configuration, ...configuration };
  }

  /** How many recorders there were, one after the other: more than one where an app sets up its own beside the register hook. */
  get recorderCount(): number {
    return this.recorders;
  }

  /** Lets go of a recorder if it still is the current one, and says whether it was. A handler of errors that ends its process has it shut down before. */
  detach(recorder: Recorder): boolean {
    const isCurrent = this.configuration.recorder === recorder;
    if (!isCurrent) return false;
    this.processEnds();
    this.configure({ recorder: undefined });
    return true;
  }

  /** Has the recorder hand on what waits; 0 where there is none, and in a replay, which can be made again. */
  flush(): Promise<number> {
    const { recorder } = this.configuration;
    return this.replaysHere() ? Promise.resolve(0) : (recorder?.flush?.() ?? Promise.resolve(0));
  }

  /** Tells the recorder that code of a run starts a program. */
  startsCode(): void {
    this.configuration.recorder?.startsCode?.();
  }

  /** Turns recording off, as `REENACT_DISABLED=1` and `OTEL_SDK_DISABLED=true` do. A replay still answers: it never goes live silently. */
  disable(): void {
    this.isDisabled = true;
  }

  /** Turns recording on again. */
  enable(): void {
    this.isDisabled = false;
  }

  /** Whether recording is off and no replay answers here: nothing need be made ready for a call. */
  get isOff(): boolean {
    return this.isDisabled && (positionOf(contexts.active())?.player ?? this.dedicated) === undefined;
  }

  /** The replay that answers calls without a position, where there is one. */
  get dedicatedPlayer(): Player | undefined {
    return this.dedicated;
  }

  /** Reads a position that travelled here; undefined where no replay can come in. */
  get positionReader(): ((token: string) => Position | undefined) | undefined {
    const { dedicated } = this;
    if (dedicated?.positionOfToken !== undefined) return (token) => dedicated.positionOfToken?.(token);
    return this.configuration.positionReader;
  }

  /** Whether requests are to carry the trace context of their crossing. */
  get injectsTraceContext(): boolean {
    return guarded('asking for propagation', () => this.configuration.injectsTraceContext?.() === true, false);
  }

  /** Makes a replay answer every call of this process that carries no position. Returns how to undo it. */
  installDedicatedPlayer(player: Player): () => void {
    this.dedicated = player;
    return () => {
      if (this.dedicated === player) this.dedicated = undefined;
    };
  }

  /** Crossings that have started and not ended, as they would be recorded if the process stopped now. Never throws. */
  pendingFacts(): CrossingFacts[] {
    return this.opener.pendingFacts();
  }

  /** The boundary that the code which runs here is in; undefined outside of every crossing. Never throws. */
  boundaryHere(): BoundaryDefinition | undefined {
    return guarded('asking for the boundary', () => this.opener.boundaryAround(contexts.active()), undefined);
  }

  /** Whether any crossing is open: outside runs, hooks that watch every clock read have nothing to do. */
  hasOpenCrossings(): boolean {
    return this.opener.openCount > 0;
  }

  /** Whether a span belongs to an open crossing, whose recording the gate itself hands over. */
  ownsSpan(spanContext: SpanContext): boolean {
    return this.opener.owns(spanContext);
  }

  /**
   * The runs that go on in this process: its agents and requests, and where there are none the run of the process, where that is open. `at`: with
   * the run of the process in any case, where it stands there. Never throws.
   */
  runsUnderWay(at?: Position): readonly RunUnderWay[] {
    const runs = this.opener.runsUnderWay;
    const context = this.openedRootContext();
    const isWanted = runs.length === 0 || (at !== undefined && context && positionOf(context)?.cursor === at.cursor);
    return context === undefined || isWanted !== true
      ? runs
      : [...runs, { kind: 'process-run', context, isEnclosed: this.configuration.rootEnclosesRuns === true }];
  }

  /** Notes an error that nothing caught, of code that runs here: it is how its run ends, where that ends with its process. */
  uncaught(uncaught: UncaughtError): void {
    const active = contexts.active();
    this.opener.noteUncaught(uncaught, scopeOf(active) === undefined ? (this.openedRootContext() ?? active) : active);
  }

  /** Told as the process ends, before what is still open is recorded as pending. `exitCode`: undefined where recording alone ends. Never throws. */
  processEnds(exitCode?: number): void {
    guarded(
      'ending what ends with its process',
      () => this.opener.processEnds(exitCode, this.openedRootContext(), this.configuration.recorder),
      undefined,
    );
  }

  /** The context of the process span, where the register hook gave one. Never throws. */
  rootContext(): Context | undefined {
    const { rootContext } = this.configuration;
    // The hook opens its span through this gate: that call itself must not ask for the root again.
    if (rootContext === undefined || this.isAskingForRoot) return undefined;
    this.isAskingForRoot = true;
    try {
      return guarded('opening the process span', rootContext, undefined);
    } finally {
      this.isAskingForRoot = false;
    }
  }

  /** The context of the process span, where it is open already. Never throws. */
  openedRootContext(): Context | undefined {
    return guarded('asking for the process span', () => this.configuration.openedRootContext?.(), undefined);
  }

  /** Adds to who the run around `context` is for. False where no run is active. */
  identify(context: Context, identity: Identity): boolean {
    const run = this.runAround(this.baseOf(context, undefined));
    if (run === undefined) return false;
    run.identity = { ...run.identity, ...identity };
    return true;
  }

  /**
   * Marks the run around `context` to be kept, also when it has ended and its root still waits to be handed on. The first
   * reason counts. Opens no run of the process once others have begun: that would be empty, and none of theirs is meant for certain.
   */
  keep(context: Context, reason: string): 'kept' | 'too-late' | 'no-run' {
    const isBesideRuns = this.opener.begunRuns > 0 && this.openedRootContext() === undefined;
    if (isBesideRuns && enclosingSpan(context) === undefined) return 'no-run';
    const run = this.runAround(this.baseOf(context, undefined));
    if (run === undefined) return 'no-run';
    if (run.keepReason !== undefined) return 'kept';
    const { endedRoot } = run;
    const isOver = run.openRoots === 0 && endedRoot !== undefined;
    if (isOver && this.configuration.recorder?.amend?.(endedRoot, keepAttributes(reason)) !== true) return 'too-late';
    run.keepReason = reason;
    return 'kept';
  }

  /** Keeps the evaluation of a feature flag on the crossing around `context`, and tells the replay there; outside runs neither. */
  flagEvaluated(context: Context, attributes: Attributes): void {
    const base = this.baseOf(context, undefined);
    if (enclosingSpan(base) === undefined) return;
    const scope = scopeOf(base);
    if (scope !== undefined && scope.hasEnded !== true) {
      scope.flags ??= [];
      if (scope.flags.length < FLAG_EVALUATIONS_MAX)
        scope.flags.push({ name: EVENT_FEATURE_FLAG_EVALUATION, time: toHrTime(unixNanoNow()), attributes });
    }
    const position = positionOf(base);
    const player = position?.player ?? this.dedicated;
    player?.flagEvaluated?.(position, attributes);
  }

  private runAround(base: Context): RunState | undefined {
    const scope = scopeOf(base);
    if (scope !== undefined) return scope.run;
    const traceId = enclosingSpan(base)?.traceId;
    return traceId === undefined ? undefined : this.opener.runs.of(traceId);
  }

  /** Whether a call that is made here is answered by a replay. */
  replaysHere(): boolean {
    return (positionOf(contexts.active())?.player ?? this.dedicated) !== undefined;
  }

  /**
   * What a wire request that is made here meets, told before anything of it is looked at. `pass`: send it, nobody asks
   * about it. `record`: send it and admit it. `replay`: admit it once all of it is known, and send nothing before.
   */
  wireMode(): 'pass' | 'record' | 'replay' {
    return guarded('telling the mode', () => this.modeOf(contexts.active()), this.dedicated ? 'replay' : 'pass');
  }

  private modeOf(active: Context): 'pass' | 'record' | 'replay' {
    // Exporters suppress tracing around their own requests. Whatever else is suppressed was not recorded either.
    if (isWireOwned(active) || isSuppressedRequest(active)) return 'pass';
    if ((positionOf(active)?.player ?? this.dedicated) !== undefined) return 'replay';
    return this.isDisabled ? 'pass' : 'record';
  }

  /**
   * The one decision between recording, replay and pass-through. Never throws: where Reenact itself fails, a call passes
   * outside replays and is refused inside them.
   */
  admit(call: GateCall): Admission {
    heldInput.hand?.();
    let player = this.dedicated;
    try {
      const active = contexts.active();
      player = positionOf(active)?.player ?? player;
      if (player === undefined) return this.record(call, active);
      if (isWire(call) && isSuppressedRequest(active)) return PASS;
      return this.replay(call, this.baseOf(active, call), player);
    } catch (thrown) {
      reportFailure('admitting a call', thrown);
      return player === undefined ? PASS : { type: 'refuse', error: failedInReplay(call, thrown) };
    }
  }

  /**
   * Tells a replay of a call that has begun here, and is admitted once all of it is known. Gives the context to read that in, which a client of the
   * recording did inside of its call. Never throws.
   */
  begun(boundary: BegunCall['boundary']): Context {
    const active = contexts.active();
    const told = (): Context => {
      const position = positionOf(this.baseOf(active, undefined));
      const inside = (position?.player ?? this.dedicated)?.begun?.({ boundary, position });
      return inside === undefined ? active : withPosition(active, inside);
    };
    return guarded('telling of a call that has begun', told, active);
  }

  private record(call: GateCall, active: Context): Admission {
    if (this.isDisabled || (isWire(call) ? isSuppressedRequest(active) : isTelemetryContext(active))) return PASS;
    const opening = { input: isEncoded(call, this.configuration.recorder) ? encodeInput(call) : undefined };
    const crossing = this.opener.open(call, this.baseOf(active, call), this.configuration, opening);
    return crossing === undefined ? PASS : { type: 'run', crossing };
  }

  private replay(call: GateCall, base: Context, player: Player): Admission {
    const { boundary, toolCallId, calledFrom } = call;
    const input = encodeInput(call);
    const position = positionOf(base);
    const asked = {
      takesInput: call.takesInput === true,
      asksToJoin: call.asksToJoin === true,
      ...(call.closes && { closes: true }),
      ...(call.sendsRequests && { sends: call.span.slim ?? {} }),
    };
    const source = callerLine(calledFrom?.callee ?? this.admit, calledFrom) ?? callPlaceOf(contexts.active());
    const answer = player.answer({ boundary, input, toolCallId, ...asked, position, source, spanIds: spanIdsAt(base) });
    if (answer.type === 'pass') return passedAt(withPosition(base, answer.position), answer);
    const opening = openingOf(input, answer, player.replayId);
    const isUnrecorded =
      player.keepsNoRecording === true || (answer.type === 'stub' && answer.keepsNoRecording === true);
    const recorder = isUnrecorded ? undefined : this.configuration.recorder;
    const crossing = this.opener.open(call, base, { ...this.configuration, recorder }, opening);
    if (crossing === undefined) throw new ReenactError('internal', 'The gate opened no crossing inside a replay.');
    switch (answer.type) {
      case 'run': {
        const { unjoined, leftAfterMs, entered } = answer;
        if (answer.editInput !== undefined) return runEdited(call, crossing, answer.editInput);
        const again = { ...(leftAfterMs !== undefined && { leftAfterMs }), ...(entered !== undefined && { entered }) };
        if (unjoined === undefined) return { type: 'run', crossing, ...again };
        return { type: 'run', crossing, unjoined: (address) => answeredInstead(crossing, unjoined(address)) };
      }
      case 'stub':
      case 'refuse':
        return answeredWithout(crossing, answer);
    }
  }

  /**
   * A call that neither a span nor a crossing encloses goes under the process span, where there is one, and below the span of others that
   * stands in there. An agent that no crossing encloses is a run of its own, unless the process is part of a run; a request that came
   * in always is one.
   */
  private baseOf(active: Context, call: GateCall | undefined): Context {
    if (scopeOf(active) !== undefined) return active;
    const isInSpan = isInSpanOfProcess(active);
    if (enclosingSpan(active) !== undefined && !isInSpan) return active;
    const isRun = call?.boundary.kind === 'agent';
    const isOutside = isRun && (call.span.kind === 'server' || this.configuration.rootEnclosesRuns !== true);
    if (isOutside) return isInSpan ? trace.deleteSpan(active) : active;
    const root = this.rootContext();
    return root === undefined ? active : placedUnder(active, root, isInSpan ? trace.getSpan(active) : undefined);
  }

  /** Where code stands that is in a span of the run of the process; `active` itself for all other code. Opens nothing. */
  placeOf(active: Context): Context {
    if (scopeOf(active) !== undefined || !isInSpanOfProcess(active)) return active;
    const root = this.openedRootContext();
    return root === undefined ? active : placedUnder(active, root, trace.getSpan(active));
  }
}

/** The values of `active`, at the place in the run and the replay that `root` has, and below `parent` or that of `root` in the trace. */
function placedUnder(active: Context, root: Context, parent: Span | undefined): Context {
  const span = parent ?? trace.getSpan(root);
  const scope = scopeOf(root);
  const position = positionOf(root);
  const spanned = span === undefined ? active : trace.setSpan(active, span);
  const scoped = scope === undefined ? spanned : withScope(spanned, scope);
  return position === undefined ? scoped : withPosition(scoped, position);
}

/** The admission of a call that is no crossing in a replay. */
function passedAt(context: Context, { ended }: Extract<Answer, { type: 'pass' }>): Admission {
  return { type: 'pass', inside: { context, ended: () => guarded('ending a call that passed', ended, undefined) } };
}

/** The admission of a call whose code does not run. */
function answeredWithout(crossing: OpenCrossing, answer: Exclude<Answer, { type: 'run' | 'pass' }>): WithoutRunning {
  if (answer.type === 'refuse') {
    const { error, leftOut } = answer;
    crossing.settle(leftOut === true ? { type: 'returned', value: undefined } : { type: 'threw', error });
    return { type: 'refuse', error, ...(leftOut && { leftOut }) };
  }
  const { recorded, release, deliveries = [] } = answer;
  keepAsRecorded(crossing, recorded);
  const exhausted = (detail: string): ReenactError => answer.exhausted(detail);
  const sends = (attempt: ClientAttempt): ReenactError | undefined => tellAttempt(answer, attempt);
  return { type: 'stub', crossing, recorded, release, deliveries, exhausted, sends };
}

/** Tells the replay what an attempt asks for. Where that fails the call is refused: it was compared with nothing. */
function tellAttempt(answer: Extract<Answer, { type: 'stub' }>, attempt: ClientAttempt): ReenactError | undefined {
  if (answer.sends === undefined) return undefined;
  try {
    return answer.sends(sentRequest(attempt));
  } catch (thrown) {
    reportFailure('comparing an attempt', thrown);
    return failedInReplay({ boundary: answer.recorded }, thrown);
  }
}

/** The same, of a crossing that was opened to run. */
function answeredInstead(crossing: GateCrossing, answer: Exclude<Answer, { type: 'run' | 'pass' }>): WithoutRunning {
  crossing.replaysAs(answer.type === 'stub' ? 'stub' : 'refused');
  return answeredWithout(crossing, answer);
}

/** The span of the replay says how the crossing was called when it was recorded, and what of it was lost even then. */
function keepAsRecorded(crossing: OpenCrossing, { call, lossy }: Crossing): void {
  crossing.answersAs(call);
  for (const mark of lossy) if (!mark.startsWith('/input')) crossing.markLossy(mark);
}

/** Runs the code with another input than it was called with, or refuses the call where that cannot be made. */
function runEdited(call: GateCall, crossing: OpenCrossing, editInput: (input: unknown) => unknown): Admission {
  try {
    return { type: 'run', crossing, edited: { input: editInput(call.input) } };
  } catch (thrown) {
    const error = isReenactError(thrown) ? thrown : failedInReplay(call, thrown);
    crossing.settle({ type: 'threw', error });
    return { type: 'refuse', error };
  }
}

/** What code that stands here can read of its spans. */
function spanIdsAt(base: Context): LiveSpanIds | undefined {
  const span = enclosingSpan(base);
  return span && { traceId: span.traceId, spanId: scopeOf(base)?.spanId };
}

/** Exporters suppress tracing around what they send: in a replay, too, it is theirs. */
function isWire({ boundary }: GateCall): boolean {
  return boundary.kind === 'http' || boundary.kind === 'rpc';
}

/** The input as it is kept, without secrets: the exact text where the caller has it. */
function encodeInput({ input, inputText, redacted }: GateCall): EncodedValue {
  if (inputText === undefined) return redactEncoded(encodeValue(input), redacted);
  const payload = typeof input === 'string' ? payloadOf('text', inputText) : stringifiedPayload('json', inputText);
  return redactEncoded({ payload, lossy: [] });
}

function openingOf(input: EncodedValue, answer: Exclude<Answer, { type: 'pass' }>, replayId: string): Opening {
  switch (answer.type) {
    case 'stub':
      return {
        input,
        position: answer.position,
        over: () => answer.over?.(),
        replay: markOf('stub', replayId, answer),
      };
    case 'run': {
      const { mode, position } = answer;
      const settled: NonNullable<Opening['settled']> = (...end) => answer.settled(...end);
      return { input, position, settled, replay: markOf(mode, replayId, answer) };
    }
    case 'refuse':
      return { input, replay: { mode: 'refused', replayId } };
  }
}

function markOf(
  mode: ReplayMark['mode'],
  replayId: string,
  answer: Exclude<Answer, { type: 'refuse' | 'pass' }>,
): ReplayMark {
  const { recorded, policy } = answer;
  const forkOf = answer.type === 'run' ? answer.forkOf : undefined;
  return {
    mode,
    replayId,
    ...(policy === undefined ? {} : { policy }),
    ...(forkOf === undefined ? {} : { forkOf }),
    ...(recorded === undefined ? {} : { source: { traceId: recorded.traceId, spanId: recorded.spanId } }),
  };
}

function failedInReplay({ boundary }: { boundary: Pick<Crossing, 'kind' | 'name'> }, thrown: unknown): ReenactError {
  return new ReenactError('replay-refused', `Reenact failed while it answered ${boundary.kind}:${boundary.name}.`, {
    where: `${boundary.kind}:${boundary.name}`,
    next: 'Nothing was called. Report this as a bug of Reenact, with the cause below.',
    cause: thrown,
  });
}
