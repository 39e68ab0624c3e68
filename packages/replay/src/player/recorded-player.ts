import type { Answer, Arrival, BegunCall, LiveOutcome, LiveSpanIds, Position, Release } from '@reenact/instrumentation';
import { type RecordedTimeline, recordedTimeline, subtreeOf } from '@reenact/recordings';
import {
  CANONICAL_POLICIES,
  type Crossing,
  crossingLabel,
  type Exchange,
  PROCESS_RUN_LABEL,
  type Recording,
  ReenactError,
  type SetUp,
  toReenactError,
  unwrittenOutcome,
} from '@reenact/trace-model';
import { setUpOf } from '@reenact/trace-model/reading';
import { LiveInput } from '../equality/input-comparison.ts';
import { OwnSpanIds } from '../equality/own-span-ids.ts';
import { noteRedactionKeys } from '../equality/redaction-check.ts';
import type { EventSink } from '../events/event-sink.ts';
import type { ForbiddenEffect, GuardedPlayer, HeldTelemetry } from '../guard/guarded-player.ts';
import { POSITION_LIFE_MS, PROCESS_POSITION_LIFE_MS } from '../limits.ts';
import { TravellingPositions } from '../propagation/travelling-positions.ts';
import { requestsBesideOf } from '../recorded/requests-beside-of.ts';
import { rootOf } from '../recorded/root-of.ts';
import { withSetUp } from '../recorded/with-set-up.ts';
import { type ResolvedPlan, resolvePlan, type Treatment } from '../resolution/resolved-plan.ts';
import { RunTime } from '../time/run-time.ts';
import { ExpectedCalls } from '../time/schedule/expected-calls.ts';
import { IdleBeforeRun } from '../time/schedule/idle-before-run.ts';
import { ReleaseSchedule } from '../time/schedule/release-schedule.ts';
import { RunClock } from '../time/schedule/run-clock.ts';
import type { RunInStep, StepOfRun } from '../time/schedule/runs-in-step.ts';
import { SetUpToCome } from '../time/schedule/set-up-to-come.ts';
import { ArrivalReporter, type Match } from './arrival-reporter.ts';
import { asFarAsKnown } from './as-far-as-known.ts';
import { atOnce } from './at-once.ts';
import { deliveryOf } from './delivery-of.ts';
import { DifferenceReport } from './difference-report.ts';
import * as wording from './divergence-wording.ts';
import { findUnclaimed } from './find-unclaimed.ts';
import { FlagComparison } from './flag-comparison.ts';
import { ForbiddenReport } from './forbidden-report.ts';
import { LivePaths } from './live-paths.ts';
import { LookUp, type LookUpResult } from './look-up.ts';
import { MissingCalls } from './missing-calls.ts';
import { noteLosses } from './note-losses.ts';
import { OutcomeReport } from './outcome-report.ts';
import { PlannedChanges } from './planned-changes.ts';
import { ProcessEnd } from './process-end.ts';
import { RecordedInput } from './recorded-input.ts';
import type { RecordedPlayerOptions } from './recorded-player-options.ts';
import { RecordedSignals } from './recorded-signals.ts';
import { RecordingEnd } from './recording-end.ts';
import { type FoundCall, Refusals } from './refusals.ts';
import { runEndUs } from './run-end.ts';
import { SentRequestReport } from './sent-request-report.ts';

/** A call, and whether its position came from another process. */
export interface OutsideArrival extends Arrival {
  readonly cameFromOutside?: boolean;
}

type StubAnswer = Extract<Answer, { type: 'stub' }>;
type Recorded = Match & { readonly recorded: Crossing };
type ServedAnswer = Exclude<Answer, { type: 'run' | 'pass' }>;
type Found = Extract<LookUpResult, { type: 'found' }>;

/**
 * Answers the gate from one recording: looks up, compares, serves or lets run, and reports what differs. Holds the state
 * of one replay in one process; several players in one process share nothing.
 */
export class RecordedPlayer implements GuardedPlayer {
  readonly replayId: string;
  readonly dedicated: boolean;
  readonly keepsNoRecording: boolean;
  readonly recording: Recording;
  /** Clock, timers and random sources of the run; hand it to `installTime`. */
  readonly time: RunTime;
  readonly callShapeOf = (recorded: Crossing): Crossing['call'] => recorded.call;
  private readonly plan: ResolvedPlan;
  /** What of the recording was met; hand it, with the schedule, to `RunTail`. */
  readonly lookUp: LookUp;
  readonly schedule: ReleaseSchedule;
  private readonly paths: LivePaths;
  private readonly sink: EventSink;
  private readonly timeline: RecordedTimeline;
  private readonly differences: DifferenceReport;
  private readonly requests: SentRequestReport;
  private readonly outcomes: OutcomeReport;
  private readonly ownIds: OwnSpanIds;
  private readonly changes: PlannedChanges;
  private readonly refusals: Refusals;
  private readonly missing: MissingCalls;
  private readonly travelling: TravellingPositions;
  private readonly options: RecordedPlayerOptions;
  private readonly flags: FlagComparison;
  private readonly rootSpanId: string;
  private readonly setUp: SetUp | undefined;
  private arrivals = 0;
  private isWholeProcess = false;
  private readonly forbidden: ForbiddenReport;
  private recordingEnd: RecordingEnd | undefined;
  private readonly processEnd: ProcessEnd;
  private readonly signals: RecordedSignals;
  private readonly input: RecordedInput;

  /** Throws ReenactError `not-found` or `bad-plan`. */
  constructor(options: RecordedPlayerOptions) {
    const { rootSpanId, plan } = options;
    const recording = withSetUp(options.recording, rootSpanId);
    const root = rootOf(recording, rootSpanId);
    this.options = options;
    this.replayId = options.replayId;
    this.rootSpanId = rootSpanId;
    this.recording = recording;
    this.flags = new FlagComparison(recording, options.sink);
    this.dedicated = options.process === 'dedicated';
    this.keepsNoRecording = options.keepsNoRecording === true;
    this.plan = resolvePlan(plan, recording, rootSpanId);
    this.setUp = setUpOf(recording, rootSpanId);
    this.lookUp = new LookUp(recording, root, {
      setUp: this.setUp,
      isBesideOthers: () => (options.openRuns?.count ?? 0) > 0,
      times: { nowUs: () => this.schedule.beforeRun.callsUs, startUs: (crossing) => this.timeline.startUs(crossing) },
      profile: this.plan.profile,
      ignoredPathsOf: (recorded) => this.plan.ignoredPathsOf(recorded, 'input'),
    });
    const crossings = subtreeOf(recording, rootSpanId);
    this.timeline = recordedTimeline(root, crossings);
    const clock = new RunClock(root.startTimeUnixNano);
    this.schedule = new ReleaseSchedule(this.timeline, {
      clock,
      pace: options.pace,
      endUs: runEndUs(this.timeline, crossings),
      expected: new ExpectedCalls(recording, this.timeline),
      setUp: SetUpToCome.of(this.setUp, this.timeline, requestsBesideOf(recording, root)),
      idle: IdleBeforeRun.of(root, options),
      joinOthers: this.joining(root),
    });
    this.paths = new LivePaths(recording, this.lookUp);
    this.sink = options.sink;
    this.ownIds = new OwnSpanIds(recording.bySpanId, root, options.sink);
    this.requests = new SentRequestReport(this.plan, options.sink, this.ownIds);
    this.outcomes = new OutcomeReport(options.sink);
    this.forbidden = new ForbiddenReport(options.sink);
    this.changes = new PlannedChanges(this.plan);
    this.refusals = new Refusals(this.plan, this.changes, this.timeline);
    this.time = new RunTime({ ...options, recording, clock, schedule: this.schedule });
    const { lookUp, schedule, timeline, changes, paths, sink, time, setUp } = this;
    const { comparer } = lookUp;
    this.differences = new DifferenceReport({ plan: this.plan, refusals: this.refusals, comparer, timeline, sink });
    const end = (): RecordingEnd | undefined => this.recordingEnd;
    this.signals = new RecordedSignals({ ...options, lookUp, schedule, timeline, end });
    this.input = new RecordedInput({ ...options, lookUp, schedule, timeline });
    this.processEnd = new ProcessEnd({ recording, lookUp, sink });
    const missing = { plan: this.plan, changes, lookUp, schedule, paths, sink, time, setUp, end };
    this.missing = new MissingCalls({ ...missing, player: this, processEnd: this.processEnd });
    this.travelling = new TravellingPositions({ ...options, key: options.positionKey });
    noteRedactionKeys(recording, options.sink);
  }

  /** Where what was recorded is released after its delays, nothing is to be kept in order. */
  private joining(root: Crossing): ((run: RunInStep) => StepOfRun) | undefined {
    const { inStep, pace } = this.options;
    if (inStep === undefined || pace === 'recorded') return undefined;
    return (run) => inStep.join(run, root.startTimeUnixNano);
  }

  /** A signed token for a position, to travel to another process; undefined where positions do not leave this one. */
  positionToken({ cursor }: Position): string | undefined {
    return this.travelling.tokenFor(cursor, POSITION_LIFE_MS);
  }

  /** The same for the environment of a child process. */
  processToken({ cursor }: Position): string | undefined {
    return this.travelling.tokenFor(cursor, PROCESS_POSITION_LIFE_MS);
  }

  /** Whether processes that take part were started from a position when it was recorded. */
  startedProcesses({ cursor }: Position): boolean {
    return this.lookUp.countUnder(cursor ?? this.lookUp.root.spanId, PROCESS_RUN_LABEL) > 0;
  }

  /** The position a token stands for; one that is forged, expired, damaged or of another replay is told and ignored. */
  positionOfToken(token: string): Position | undefined {
    const read = this.travelling.read(token);
    return read === undefined ? undefined : { player: this, cursor: read.cursor };
  }

  /** What this process says when it is asked whether it would honour a token. */
  joinProof(token: string): string | undefined {
    return this.travelling.proofOf(token);
  }

  /** Whether another process has proven that it takes part in this replay. */
  isJoinProof(token: string, proof: string): boolean {
    return this.travelling.isProven(token, proof);
  }

  /** Compares a feature flag with what it said when this was recorded. */
  flagEvaluated(position: Position | undefined, attributes: Readonly<Record<string, unknown>>): void {
    this.flags.evaluated(position?.cursor ?? this.rootSpanId, attributes);
  }

  /** Answers one live call. Never throws: a failure of our own refuses the call, it never lets it run. */
  answer(arrival: OutsideArrival): Answer {
    this.arrivals += 1;
    try {
      const answer = this.decide(this.ownIds.inArrival(arrival), this.arrivals);
      this.missing.answered(arrival, answer);
      this.recordingEnd?.answered();
      this.options.arrived?.('recorded' in answer ? answer.recorded?.spanId : undefined);
      return answer;
    } catch (thrown) {
      const label = crossingLabel(arrival.boundary);
      const cause = toReenactError(thrown);
      this.sink.write({ type: 'note', text: `${label} was refused: ${cause.message}`, unverified: true });
      const error = new ReenactError('replay-refused', `The replay failed to answer ${label}: ${cause.message}`, {
        where: label,
        next: 'Please report this with the recording if it can be shared.',
        cause,
      });
      return { type: 'refuse', error };
    }
  }

  /** What was recorded from when a call began is due, and what is done to know all of it stands inside of that call. */
  begun({ boundary, position }: BegunCall): Position | undefined {
    const recorded = position?.cursor === undefined ? undefined : this.schedule.begun(position.cursor, boundary);
    return recorded && { player: this, cursor: recorded.spanId };
  }

  /** Whether what code does that stands here is the run's own, and nothing of the process beside it. */
  standsWithin(position: Position | undefined): boolean {
    return this.lookUp.standing(position?.cursor) === 'within';
  }

  /** Reports an effect that the guard is about to refuse; the same one at the same line is reported once. What comes behind the run is a note. */
  reportForbidden(effect: ForbiddenEffect): void {
    const cursor = effect.position?.cursor;
    const standing = effect.happened === true ? 'within' : this.lookUp.standing(cursor);
    if (standing === 'behind') this.forbidden.reportBehind(effect, this.lookUp.root);
    else if (standing === 'beside' || (standing === 'before' && effect.isConnection === true))
      this.forbidden.reportOutside(effect, standing, this.lookUp.root, this.schedule.nowUs);
    else this.forbidden.report(effect, this.paths.of(cursor), this.schedule.nowUs);
  }

  /** The run begins in this process, and not in one that started it: what is called before is none of its crossings. */
  beginsHere(): void {
    this.lookUp.beginsHere = true;
    this.isWholeProcess = true;
    const { setUp, lookUp, schedule } = this;
    // What a script does before its first call has numbers of its run, too.
    if (crossingLabel(lookUp.root) === PROCESS_RUN_LABEL) schedule.enterRun(lookUp.root);
    if (setUp === undefined) return;
    this.time.inProcessRun(setUp.spanId);
    // The first call outside of the run may have been made beside it only: then the run of the process begins later than it.
    this.time.clock.beginAt(Math.min(this.timeline.startUs(setUp.processRun), this.timeline.startUs(this.lookUp.root)));
  }

  /** The run is the whole of this process. `stop`: ends it where the recording does, if that is before the end of the run. */
  stopsWithRecording(stop: () => void): RecordingEnd {
    const { lookUp, schedule, sink } = this;
    this.recordingEnd = new RecordingEnd({ root: lookUp.root, lookUp, schedule, sink }, stop);
    return this.recordingEnd;
  }

  /** A function is about to enter the run: what is called from now on is the run's, also where its boundary is never crossed. */
  entersNow(): void {
    this.lookUp.beginsHere = false;
  }

  /** Notes what the guard cannot see into. */
  noteUnguarded(text: string): void {
    this.sink.write({ type: 'note', text, unverified: false });
  }

  reportTelemetry(held: HeldTelemetry): void {
    this.sink.write({ type: 'telemetry-held', ...held });
  }

  private decide(arrival: OutsideArrival, crossing: number): Answer {
    const { boundary, toolCallId, position } = arrival;
    const { setUp } = this;
    const isUnplaced = this.isWholeProcess && position?.cursor === undefined;
    if (setUp !== undefined && isUnplaced && crossingLabel(boundary) === PROCESS_RUN_LABEL) {
      // It was recorded beside this run, and is only where its calls stand.
      const outside = { player: this, cursor: setUp.spanId };
      return { type: 'run', mode: 'rerun', recorded: setUp.processRun, position: outside, settled: () => undefined };
    }
    const input = new LiveInput(arrival.input, boundary.policy);
    const { kind, name } = boundary;
    const inquiry = { cursor: position?.cursor, kind, name, toolCallId, input };
    const result = findUnclaimed(this.lookUp, inquiry, this.options.claim, (spanId) => this.time.inProcessRun(spanId));
    if (result.type === 'missing') return this.missing.answer(arrival, crossing, result);
    const isMoved = result.rung === 'moved';
    const path = isMoved ? this.paths.unmatched(position?.cursor, boundary) : result.recorded.path;
    const held = isMoved ? this.heldBehind(result.recorded, position, path) : undefined;
    if (held !== undefined) return held;
    const reporter = new ArrivalReporter(this.sink, crossing, path, arrival.source);
    return this.answerFound(arrival, input, result, reporter);
  }

  /** The same call may have been recorded elsewhere in the run; in a process whose end had come it is behind that all the same. */
  private heldBehind(like: Crossing, position: Position | undefined, path: string): Answer | undefined {
    if (position?.cursor === undefined || position.isLive === true) return undefined;
    return this.processEnd.hold({ path, position: { player: this, cursor: undefined }, under: position.cursor, like });
  }

  private answerFound(arrival: OutsideArrival, input: LiveInput, found: Found, reporter: ArrivalReporter): Answer {
    const { recorded } = found;
    const isRoot = recorded === this.lookUp.root;
    const treatment = isRoot && this.options.servesRoot !== true ? 'rerun' : this.treatmentOf(recorded, arrival);
    const served = treatment === 'stub' ? this.changes.servedAs(recorded) : recorded;
    this.changes.entered(recorded, reporter, this.timeline.startUs(recorded));
    const call = { found, served, treatment };
    this.differences.report(input, call, reporter);
    if (found.isAgain === true) reporter.note(wording.calledAgain(recorded), false, recorded.path);
    const refusal = this.refusals.isRefused(call, arrival, reporter);
    const isWhole = refusal || treatment === 'stub';
    const isHop = this.plan.isHop(recorded) && treatment === 'rerun';
    this.lookUp.consume(found, isWhole);
    // Before the run the agent's clock shows the time at which it was set up, which may be days ago.
    if (this.lookUp.isSetUp(recorded.spanId) && !this.lookUp.rootMet)
      this.time.clock.reach(this.timeline.startUs(recorded));
    if (isRoot) this.schedule.enterRun(recorded);
    else if (arrival.cameFromOutside === true && treatment === 'rerun' && !isHop) this.enterPart(recorded);
    else this.schedule.made(recorded, !isWhole && !isHop);
    this.time.treated(recorded.spanId, isWhole ? 'stub' : treatment === 'live' ? 'live' : 'rerun');
    const match = { rung: found.rung, recorded, compared: found.comparison.type !== 'unknown' };
    if (refusal) return reporter.refuse(match);
    const edited = isRoot
      ? undefined
      : this.changes.report(recorded, treatment, reporter, () => ({
          candidate: recorded,
          recordedAtUs: this.timeline.endUs(recorded),
          takesEffect: 'on-settle',
          insideAtOnce: treatment === 'live',
        }));
    if (treatment === 'stub') return this.stub(served, { ...match, edited }, reporter);
    return this.run(arrival, call, { ...match, edited }, reporter);
  }

  /** The code behind the call runs, live or again; what is called inside of it is looked up below it. */
  private run(
    arrival: OutsideArrival,
    { found, treatment }: FoundCall,
    match: Match & { readonly recorded: Crossing },
    reporter: ArrivalReporter,
  ): Answer {
    const { recorded, edited } = match;
    const isRoot = recorded === this.lookUp.root;
    const isHop = this.plan.isHop(recorded) && treatment === 'rerun';
    const mode = treatment === 'live' ? 'live' : 'rerun';
    reporter.met(mode, match);
    // What runs in another process takes real time here, as what runs live does.
    if (mode === 'live' || isHop) this.schedule.began(recorded);
    const inside = { player: this, cursor: recorded.spanId, isLive: mode === 'live' || isHop };
    this.signals.entered(recorded, inside);
    this.input.entered(recorded, inside);
    let isServed = false;
    const unjoined = (address: string): ServedAnswer => {
      isServed = true;
      return this.servedInstead(arrival, found, address, reporter);
    };
    const settled = (outcome: LiveOutcome, exchanges: readonly Exchange[], spanIds?: LiveSpanIds): void => {
      this.lookUp.ended(recorded);
      if (isServed) this.schedule.over(recorded);
      else this.settledFor(recorded, this.ownIds.inOutcome(outcome, spanIds, recorded), exchanges, reporter);
      this.ownIds.answeredLive(recorded, exchanges);
    };
    const editInput = this.changes.inputEditor(recorded, treatment);
    const { forkOf } = this.changes;
    return {
      type: 'run',
      mode,
      recorded,
      position: inside,
      settled,
      ...(isHop ? { unjoined } : {}),
      ...(edited === undefined ? {} : { policy: edited }),
      ...(editInput === undefined ? {} : { editInput }),
      ...(isRoot && forkOf !== undefined ? { forkOf } : {}),
      ...(isRoot && this.time.isVirtual ? this.enteredAgain(recorded) : {}),
    };
  }

  private enteredAgain(recorded: Crossing): { readonly entered: Crossing; readonly leftAfterMs?: number } {
    const hasLeft = recorded.outcome.type === 'aborted';
    return { entered: recorded, ...(hasLeft && { leftAfterMs: this.timeline.endUs(recorded) / 1_000 }) };
  }

  /**
   * Another service asked for this part of the run. Its time is virtual, too, unless its caller may send on: what comes from another
   * process comes in real time.
   */
  private enterPart(recorded: Crossing): void {
    this.schedule.enterRun(recorded, runEndUs(this.timeline, subtreeOf(this.recording, recorded.spanId)));
    if (recorded.canonicalPolicy === CANONICAL_POLICIES.rpcStream.name) this.schedule.began(recorded);
  }

  /** Another service takes part in what was recorded only where it is asked first; all else is served. */
  private treatmentOf(recorded: Crossing, { boundary, asksToJoin }: Arrival): Treatment {
    return this.plan.isHop(recorded) && asksToJoin !== true ? 'stub' : this.plan.treatmentOf(recorded, boundary.effect);
  }

  private stub(served: Crossing, match: Recorded, reporter: ArrivalReporter): StubAnswer {
    const { recorded, edited } = match;
    noteLosses(served, this.sink);
    reporter.met('stub', match);
    const release = this.schedule.releaseOf(served, () => reporter.settled());
    return {
      type: 'stub',
      recorded: asFarAsKnown(served, this.lookUp.root),
      position: { player: this, cursor: recorded.spanId },
      ...(edited === undefined ? {} : { policy: edited }),
      release: recorded === this.lookUp.root ? this.endingRun(release, recorded) : release,
      deliveries: this.lookUp
        .deliveriesUnder(recorded.spanId)
        .map((inside) => deliveryOf(inside, recorded, { timeline: this.timeline, schedule: this.schedule })),
      exhausted: (detail) => this.exhaustedInside(recorded, detail, reporter),
      over: () => this.schedule.over(recorded),
      ...(recorded.exchanges.length === 0
        ? {}
        : { sends: this.requests.listener({ match, reporter, recordedAtUs: this.timeline.endUs(recorded) }) }),
    };
  }

  /** With the outcome of a root that is served the run has ended. */
  private endingRun(release: Release, recorded: Crossing): Release {
    const ended = (microtasks: number | undefined): number | undefined => {
      this.lookUp.endsRun();
      this.outcomes.served(recorded);
      return microtasks;
    };
    return { at: (...when) => release.at(...when), settle: () => release.settle().then(ended) };
  }

  /** The service that was to answer takes no part: what it answered when it was recorded is served, and nothing is proven. */
  private servedInstead(arrival: Arrival, found: Found, address: string, reporter: ArrivalReporter): ServedAnswer {
    const { recorded, rung } = found;
    reporter.note(wording.notJoined(reporter.path, address), true);
    const served = this.changes.servedAs(recorded);
    const match = { rung, recorded, compared: found.comparison.type !== 'unknown' };
    this.schedule.served(recorded);
    this.time.treated(recorded.spanId, 'stub');
    this.lookUp.consume(found, true);
    const refusal = this.refusals.isRefused({ found, served, treatment: 'stub' }, arrival, reporter);
    return refusal ? reporter.refuse(match) : this.stub(served, match, reporter);
  }

  private exhaustedInside(recorded: Crossing, detail: string, reporter: ArrivalReporter): ReenactError {
    this.recordingEnd?.readOn(recorded);
    const words = wording.exhaustedInside(reporter.path, detail, recorded);
    const kind = unwrittenOutcome(recorded) === undefined ? 'exhausted' : 'never-recorded';
    reporter.divergence(kind, words, atOnce(recorded, this.timeline.endUs(recorded)));
    return reporter.error();
  }

  private settledFor(
    recorded: Crossing,
    outcome: LiveOutcome,
    exchanges: readonly Exchange[],
    reporter: ArrivalReporter,
  ): void {
    const reachedUs = this.schedule.nowUs;
    const isRoot = recorded === this.lookUp.root;
    this.schedule.ended(recorded);
    if (isRoot) this.lookUp.endsRun();
    this.time.treated(recorded.spanId, undefined);
    const recordedEndUs = this.timeline.endUs(recorded);
    this.requests.sent({ recorded, reporter, recordedAtUs: recordedEndUs }, exchanges);
    reporter.settled();
    // The replay has stopped the process: how it ends says nothing of the run.
    if (isRoot && this.recordingEnd?.isStopping === true) return;
    const isBehindRecording = isRoot && recorded.outcome.type === 'pending' && !this.lookUp.hasLeftWithinKnown;
    const end = { recorded, isRoot, outcome, exchanges, recordedEndUs, reachedUs, isBehindRecording };
    this.outcomes.report(end, reporter);
  }
}
