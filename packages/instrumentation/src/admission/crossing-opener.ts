import { type Attributes, type Context, type Link, type SpanContext, TraceFlags } from '@opentelemetry/api';
import { ATTR_REENACT_PROCESS_RUNS_BEFORE, ATTR_REENACT_PROCESS_SET_UP } from '@reenact/semconv/reenact';
import { BETWEEN_RUNS, crossingLabel, type EncodedValue, type Exchange, runsAgain } from '@reenact/trace-model';
import type { BoundaryDefinition } from '../gate/boundary-definition.ts';
import type { CrossingFacts, Recorder, ReplayMark } from '../gate/crossing-facts.ts';
import type { GateCall } from '../gate/gate.ts';
import type { GateConfiguration } from '../gate/gate-configuration.ts';
import type { LiveOutcome, LiveSpanIds, Position } from '../gate/player.ts';
import { definedAttributes } from '../gate/span-attributes.ts';
import { unixNanoNow } from '../host/monotonic-clock.ts';
import { asOwnWork } from '../host/own-work.ts';
import { guarded } from '../host/report-failure.ts';
import { OPEN_CROSSINGS_MAX } from '../limits.ts';
import { redactText } from '../redaction/places/redact-crossing.ts';
import { secretsGiven } from '../redaction/redactor/secrets-passed.ts';
import { beforeRun } from '../run/before-run.ts';
import { type Beginning, beginningHere, markOfBeginning } from '../run/beginning.ts';
import type { CarriedDraws } from '../run/carried-draws.ts';
import { crossingContext, type InsideCrossing } from '../run/crossing-context.ts';
import { type CrossingScope, type RunState, RunTable, scopeOf } from '../run/crossing-scope.ts';
import { drawRecording } from '../run/draw-recording.ts';
import { lateTapes } from '../run/late-draws.ts';
import type { RootKind, RunUnderWay } from '../run/run-under-way.ts';
import { setUpLinks } from '../run/set-up-links.ts';
import { withoutToolCallId } from '../run/tool-call-id.ts';
import type { UncaughtError } from '../run/uncaught-error.ts';
import { trapLog } from '../traps/trap-log.ts';
import { hostContent } from '../view/host-content.ts';
import { withoutFetchOwner } from '../wire/owned-fetch.ts';
import type { CrossingListener, CrossingStart } from './crossing-start.ts';
import { CrossingTable } from './crossing-table.ts';
import { spanKindOf, startGateSpan } from './gate-span.ts';
import { GateCrossing } from './open-crossing.ts';
import { OpenRuns, parentOf } from './open-runs.ts';
import { placedInRun } from './placed-in-run.ts';
import { ProcessRequests, type RequestTurn } from './process-requests.ts';
import { ProcessRuns, rootKindOf } from './process-runs.ts';
import { RunsWithoutContexts } from './runs-without-contexts.ts';
import { startAttributes } from './start-attributes.ts';
import { uncaughtAttributes, uncaughtStatus } from './uncaught-facts.ts';

/** What the gate's decision adds to a call. */
export interface Opening {
  /** Absent where the values are not wanted. */
  readonly input: EncodedValue | undefined;
  readonly replay?: ReplayMark;
  /** Where a replay looks up what is nested inside. */
  readonly position?: Position;
  /** Told the encoded outcome when the crossing has ended. */
  readonly settled?: (outcome: LiveOutcome, exchanges: readonly Exchange[], spanIds: LiveSpanIds) => void;
  /** Told that the crossing has ended. */
  readonly over?: () => void;
}

/** What decides which other spans a crossing names. */
interface RootFacts {
  readonly replay: ReplayMark | undefined;
  /** Undefined for a crossing inside another. */
  readonly root: RootKind | undefined;
  /** Undefined for what is no request, and in a replay. */
  readonly request: RequestTurn | undefined;
}

/** Where a crossing that has been opened stands. */
interface Opened {
  /** The context that it was called in. */
  readonly base: Context;
  readonly beginning: Beginning;
  readonly scope: CrossingScope;
  readonly facts: RootFacts;
}

/** Whether anybody sees the values of a call: a recorder, or by the app's content policy its own exporters. */
export function isEncoded({ boundary: { capture } }: GateCall, recorder: Recorder | undefined): boolean {
  return (recorder !== undefined && capture !== 'none') || (capture === 'full' && hostContent().content !== 'none');
}

function linksOf(replay: ReplayMark | undefined): Link[] {
  if (replay?.source === undefined) return [];
  return [{ context: { ...replay.source, traceFlags: TraceFlags.NONE } }];
}

function isClientCall({ boundary: { kind } }: GateCall): boolean {
  return kind === 'model' || kind === 'embedding' || kind === 'http';
}

/** Opens crossings: starts their spans, places them in their run, and remembers which are still open. */
export class CrossingOpener {
  readonly runs = new RunTable();
  private readonly ofProcess = new ProcessRuns();
  private readonly requests = new ProcessRequests();
  private readonly withoutContexts = new RunsWithoutContexts();
  private readonly crossings = new CrossingTable<GateCrossing>();
  /** Span contexts of those beyond what the table takes: held by identity, which needs no bound. */
  private readonly beyondTable = new WeakSet<SpanContext>();
  private readonly openRuns = new OpenRuns();
  /** Of replays that are not recorded in their turn: not when they end, and so not while they are open either. */
  private readonly unrecorded = new WeakSet<GateCrossing>();
  /** Those of the set-up that have been recorded before their end, and in which run of a process how many had begun then. */
  private readonly handedOver = new WeakSet<GateCrossing>();
  private handedOverState: string | undefined;
  /** The last error that nothing caught of code of a run that had ended. */
  private leftBehind: { readonly run: RunState; readonly uncaught: UncaughtError } | undefined;
  private hasBegun = false;
  /** How many runs have begun here, without that of the process. */
  begunRuns = 0;

  /** Undefined where nobody would see the crossing: no tracer, no recorder, no replay. */
  open(call: GateCall, around: Context, configuration: GateConfiguration, opening: Opening): GateCrossing | undefined {
    const { recorder, tracerProvider } = configuration;
    const { replay } = opening;
    const { base, links } = placedInRun(around);
    const root = scopeOf(base) === undefined ? rootKindOf(call) : undefined;
    const request = root === 'request' && replay === undefined ? this.requests.next(call) : undefined;
    const spanStart = {
      name: redactText(call.span.name),
      kind: spanKindOf(call.span.kind),
      startUnixNano: call.startUnixNano ?? unixNanoNow(),
      attributes: this.withRunsBefore(startAttributes(call, base, replay), root),
      links: this.linksAt(links, { replay, root, request }, configuration),
    };
    // Ids of spans are drawn from Math.random: they belong to no run.
    const gateSpan = asOwnWork(() => startGateSpan(tracerProvider, base, spanStart));
    if (gateSpan.span === undefined && recorder === undefined && replay === undefined) return undefined;
    const { scope, parent, order } = this.place(base, gateSpan.spanContext, call);
    if (root === 'run') this.ofProcess.began(gateSpan.spanContext, replay?.replayId);
    if (root === undefined) scope.run.request?.called();
    request?.begin(gateSpan.spanContext);
    const beginning = beginningHere(() => root !== undefined || this.isOfProcess(base, configuration));
    const crossing = new GateCrossing(
      {
        beginning,
        boundary: call.boundary,
        context: insideOf(base, { span: gateSpan.active, scope, position: opening.position }),
        scope,
        span: gateSpan.span,
        spanContext: gateSpan.spanContext,
        parentSpanContext: parentOf(base, scope.traceId),
        spanName: spanStart.name,
        spanKind: spanStart.kind,
        startUnixNano: spanStart.startUnixNano,
        slim: spanStart.attributes,
        links: spanStart.links,
        linksSince: this.linksSince({ replay, root, request }),
        parentCrossing: parent?.spanId,
        processDraws:
          root === undefined || recorder === undefined ? undefined : this.processDrawsAt(root, configuration),
        carried:
          recorder === undefined || call.boundary.capture !== 'full'
            ? undefined
            : this.carriedAt(root, scope, configuration),
        order,
        call: call.call,
        replay,
      },
      { input: opening.input, content: definedAttributes(call.span.content ?? {}) },
      this.listener(call, configuration, opening, { replay, root, request }),
    );
    this.opened(crossing, call, { base, beginning, scope, facts: { replay, root, request } }, configuration);
    return crossing;
  }

  /** Notes what the beginning of a crossing says of its run, and tells those who want to know of it. */
  private opened(
    crossing: GateCrossing,
    call: GateCall,
    { base, beginning, scope, facts: { replay, root, request } }: Opened,
    configuration: GateConfiguration,
  ): void {
    const { recorder } = configuration;
    if (replay === undefined) {
      this.noteContexts(crossing, call, { base, root }, configuration);
      if (root === 'run' && scope.isAgent !== true) trapLog.report('no-agent', crossingLabel(call.boundary));
      const mark = root === undefined ? undefined : markOfBeginning(beginning, root === 'request');
      if (mark !== undefined) crossing.markLossy(mark);
    }
    this.track(crossing);
    if (root === 'request' || (root === 'run' && scope.isAgent === true)) this.openRuns.add(crossing, root, base);
    if (root !== undefined) {
      scope.connections = beforeRun.connections?.(root === 'request', beginning);
      scope.run.connections = scope.connections;
      scope.run.isRequest = root === 'request';
      scope.run.request = request;
    }
    if (recorder === undefined && replay !== undefined) this.unrecorded.add(crossing);
    if (call.inspect !== undefined) crossing.describe(guarded('checking an input', call.inspect, {}));
    if (recorder?.started !== undefined) guarded('noting a start', () => recorder.started?.(crossing), undefined);
    if (root !== undefined && replay === undefined) this.openRuns.tellBegin(crossing, root, configuration);
  }

  /** Whether code here stands in no run but that of the process: what it was called for is what the next run begins with. */
  private isOfProcess(base: Context, { openedRootContext }: GateConfiguration): boolean {
    const opened = openedRootContext?.();
    return opened !== undefined && scopeOf(base)?.traceId === scopeOf(opened)?.traceId;
  }

  /** The run of the process, where it is opened after others, is what the program does once they are over, or beside them. */
  private withRunsBefore(attributes: Attributes, root: RootKind | undefined): Attributes {
    if (root === 'run' || root === 'request') this.begunRuns += 1;
    if (root !== 'process-run' || this.begunRuns === 0) return attributes;
    return { ...attributes, [ATTR_REENACT_PROCESS_RUNS_BEFORE]: this.begunRuns };
  }

  private linksAt(
    ofPlace: readonly Link[],
    { replay, root, request }: RootFacts,
    configuration: GateConfiguration,
  ): Link[] {
    const links = linksOf(replay);
    links.push(...ofPlace);
    // Nothing more is to be said of a crossing inside another.
    if (root === undefined) return links;
    links.push(...this.setUpLinksOf(configuration));
    if (root === 'run') links.push(...this.ofProcess.linksBefore(replay?.replayId));
    if (root === 'request') links.push(...this.ofProcess.linksAtStart(replay?.replayId));
    if (request !== undefined) links.push(...request.linksBefore);
    return links;
  }

  private linksSince({ replay, root, request }: RootFacts): CrossingStart['linksSince'] {
    if (root === undefined || root === 'request') return request?.linksSince;
    return this.ofProcess.linksSince(root, replay?.replayId);
  }

  /** What begins a run says what its program had done before; only the set-up that came before it is counted. */
  private setUpLinksOf({ openedRootContext, recorder }: GateConfiguration): Link[] {
    if (openedRootContext === undefined) return [];
    const links = guarded('linking the set-up of a run', () => setUpLinks(openedRootContext()), []);
    if (recorder !== undefined) for (const link of links) this.handOverSetUp(link, recorder);
    return links;
  }

  /** What was drawn before the first root, which nothing else holds unless a run of the process is open by then. */
  private processDrawsAt(root: RootKind, { openedRootContext }: GateConfiguration): string | undefined {
    if (this.hasBegun) return undefined;
    this.hasBegun = true;
    drawRecording.processTape?.begin();
    if (root === 'process-run' || openedRootContext?.() !== undefined) return undefined;
    return guarded('keeping what was drawn before a run', () => drawRecording.processTape?.drawnSoFar(), undefined);
  }

  /** What its own run drew late; and of a run after the first what the process drew since the one before. */
  private carriedAt(
    root: RootKind | undefined,
    { run }: CrossingScope,
    { openedRootContext }: GateConfiguration,
  ): CarriedDraws | undefined {
    const ofRun = lateTapes.take(run);
    if (root !== 'run' || openedRootContext?.() !== undefined) return ofRun;
    const between = guarded(
      'keeping what was drawn between runs',
      () => drawRecording.processTape?.takeSince(),
      undefined,
    );
    if (between === undefined) return ofRun;
    return { late: { ...ofRun?.late, [BETWEEN_RUNS]: [between] }, marks: ofRun?.marks ?? [] };
  }

  /**
   * The run of a process, and a request whose answer nobody reads, may go on for days: what is known of them when a run begins is
   * recorded as pending crossings, once each.
   */
  private handOverSetUp({ context, attributes }: Link, recorder: Recorder): void {
    const state = `${context.spanId}:${attributes?.[ATTR_REENACT_PROCESS_SET_UP]}`;
    if (state === this.handedOverState) return;
    this.handedOverState = state;
    for (const crossing of this.crossings.values()) {
      if (this.handedOver.has(crossing) || !crossing.isAtOrIn(context)) continue;
      this.handedOver.add(crossing);
      guarded('handing over a set-up', () => recorder.record(crossing.factsSoFar()), undefined);
    }
  }

  /** Start order is counted here, synchronously, before anything of the boundary runs. */
  private place(
    base: Context,
    spanContext: SpanContext,
    call: GateCall,
  ): { scope: CrossingScope; parent?: CrossingScope; order: number } {
    const { traceId, spanId, traceFlags } = spanContext;
    const around = scopeOf(base);
    // What an ended run left behind may be below a forced root span: the crossing is a root there.
    const parent = around?.traceId === traceId ? around : undefined;
    const run = parent?.run ?? this.runs.of(traceId);
    const { kind, policy } = call.boundary;
    const isAgent = runsAgain({ kind, canonicalPolicy: policy.name });
    const answers = parent?.answers ?? {};
    const scope = {
      traceId,
      spanId,
      traceFlags,
      run,
      answers,
      isClientCall: isClientCall(call),
      isAgent,
      nextOrder: 0,
    };
    if (parent === undefined) return { scope, order: run.nextRootOrder++ };
    return { scope, parent, order: parent.nextOrder++ };
  }

  private listener(
    call: GateCall,
    configuration: GateConfiguration,
    opening: Opening,
    { replay, root, request }: RootFacts,
  ): CrossingListener<GateCrossing> {
    const { settled, over } = opening;
    const { recorder } = configuration;
    return {
      encodes: isEncoded(call, recorder) || settled !== undefined,
      ended: (crossing, facts) => {
        this.forget(crossing);
        request?.end();
        // Of what the run drew nothing else tells. A program that ends may have put its contexts away.
        if (replay === undefined && (root === 'run' || root === 'request')) this.withoutContexts.look(() => [crossing]);
        // Its link to the run of the process came late: what that had open by now is handed over as at the start of any other.
        if (crossing.isBesideSetUp) this.setUpLinksOf(configuration);
        if (recorder === undefined || crossing.isTold) return;
        const kept = facts();
        recorder.record(kept);
        request?.gave(secretsGiven(kept.outcome.value, kept.content));
      },
      outlived: (facts) => recorder?.record(facts()),
      settled,
      over,
    };
  }

  private track(crossing: GateCrossing): void {
    if (this.crossings.size < OPEN_CROSSINGS_MAX) this.crossings.add(crossing);
    else this.beyondTable.add(crossing.spanContext);
  }

  /** The agents and requests that go on and that no other crossing encloses, in the order in which they began. */
  get runsUnderWay(): readonly RunUnderWay[] {
    return this.openRuns.underWay;
  }

  /** The root of the run that code in `context` is part of, while that is open; where a crossing around it has ended, the only root of its trace. */
  private rootAround(context: Context): GateCrossing | undefined {
    const scope = scopeOf(context);
    if (scope === undefined) return undefined;
    let around = this.crossings.get(scope.traceId, scope.spanId);
    while (around?.parentCrossing !== undefined) around = this.crossings.get(scope.traceId, around.parentCrossing);
    if (around !== undefined) return around;
    const [only, ...others] = [...this.openRuns.roots()].filter(({ context }) => scopeOf(context)?.run === scope.run);
    return others.length === 0 ? only : undefined;
  }

  /** Notes an error that nothing caught of code in `context`. */
  noteUncaught(uncaught: UncaughtError, context: Context): void {
    const root = this.rootAround(context);
    const run = scopeOf(context)?.run;
    if (root !== undefined) root.noteUncaught(uncaught);
    else if (run !== undefined) this.leftBehind = { run, uncaught };
  }

  /** Says of a run that has ended, while that can still be said, that what it had left behind ended the process. */
  private blameEndedRun(exitCode: number | undefined, recorder: Recorder | undefined): void {
    const { leftBehind } = this;
    this.leftBehind = undefined;
    const endedRoot = leftBehind?.run.endedRoot;
    if (leftBehind === undefined || endedRoot === undefined || exitCode === 0) return;
    const { uncaught } = leftBehind;
    recorder?.amend?.(endedRoot, uncaughtAttributes(uncaught), uncaughtStatus(uncaught));
  }

  /** Ends the runs that end with their process. `ofProcess`: inside of the run of the process, where there is one. */
  processEnds(exitCode: number | undefined, ofProcess: Context | undefined, recorder: Recorder | undefined): void {
    this.blameEndedRun(exitCode, recorder);
    for (const root of [...this.openRuns.roots()]) root.processEnds(exitCode);
    if (ofProcess !== undefined) this.crossingAround(ofProcess)?.processEnds(exitCode);
  }

  private noteContexts(
    crossing: GateCrossing,
    call: GateCall,
    { base, root }: { readonly base: Context; readonly root: RootKind | undefined },
    configuration: GateConfiguration,
  ): void {
    const run = (): GateCrossing | undefined => (root === undefined ? this.crossingAround(base) : crossing);
    this.withoutContexts.look(() => [run(), ...this.openRuns.roots()]);
    this.openRuns.noteCallBeside(call.boundary, root, () => this.boundaryAround(base), configuration);
  }

  private forget(crossing: GateCrossing): void {
    this.openRuns.delete(crossing);
    this.crossings.delete(crossing);
  }

  /** Facts of the crossings still open, in the order in which they started. */
  pendingFacts(): CrossingFacts[] {
    return [...this.crossings.values()]
      .filter((crossing) => !this.unrecorded.has(crossing) && !crossing.isTold)
      .map((crossing) => guarded('describing an open crossing', () => crossing.pendingFacts(), undefined))
      .filter((facts) => facts !== undefined);
  }

  /** The boundary of the innermost crossing around `context`, while that is open. */
  boundaryAround(context: Context): BoundaryDefinition | undefined {
    return this.crossingAround(context)?.boundary;
  }

  private crossingAround(context: Context): GateCrossing | undefined {
    const scope = scopeOf(context);
    return scope === undefined ? undefined : this.crossings.get(scope.traceId, scope.spanId);
  }

  /** How many crossings are open, of those that are kept track of. */
  get openCount(): number {
    return this.crossings.size;
  }

  /** Whether the span belongs to an open crossing. A span gives the same object for its context each time it is asked. */
  owns(spanContext: SpanContext): boolean {
    const { traceId, spanId } = spanContext;
    return this.crossings.get(traceId, spanId) !== undefined || this.beyondTable.has(spanContext);
  }
}

function insideOf(base: Context, inside: InsideCrossing): Context {
  return crossingContext(withoutFetchOwner(withoutToolCallId(base)), inside);
}
