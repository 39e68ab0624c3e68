import type { Answer, Arrival } from '@reenact/instrumentation';
import { type Crossing, crossingLabel, type SetUp } from '@reenact/trace-model';
import type { EventSink } from '../events/event-sink.ts';
import type { GuardedPlayer } from '../guard/guarded-player.ts';
import type { ResolvedPlan } from '../resolution/resolved-plan.ts';
import type { RunTime } from '../time/run-time.ts';
import type { ReleaseSchedule } from '../time/schedule/release-schedule.ts';
import { ArrivalReporter, type DivergenceDetails } from './arrival-reporter.ts';
import { atOnce } from './at-once.ts';
import { type CalledBeside, calledBesideNow } from './called-beside.ts';
import * as wording from './divergence-wording.ts';
import type { LivePaths } from './live-paths.ts';
import { BEFORE_RUN, type LookUp, type LookUpResult } from './look-up.ts';
import { missingWording } from './missing-wording.ts';
import type { PlannedChanges } from './planned-changes.ts';
import type { ProcessEnd } from './process-end.ts';
import type { RecordingEnd } from './recording-end.ts';
import { UnpatchedClients } from './unpatched-clients.ts';

type Missing = Extract<LookUpResult, { type: 'missing' }>;

/** What answers such calls stand on: parts of one player. */
export interface MissingCallsOptions {
  readonly player: GuardedPlayer;
  readonly sink: EventSink;
  readonly plan: ResolvedPlan;
  readonly changes: PlannedChanges;
  readonly lookUp: LookUp;
  readonly schedule: ReleaseSchedule;
  readonly paths: LivePaths;
  readonly time: RunTime;
  readonly setUp: SetUp | undefined;
  /** Where the recording ends before its run does; undefined where that ends nothing. */
  readonly end: () => RecordingEnd | undefined;
  /** Where the recording ends of a process that the run has started. */
  readonly processEnd: ProcessEnd;
}

/** One call for which no recorded crossing is left, and what is known of it. */
interface MissingCall {
  readonly arrival: Arrival;
  readonly missing: Missing;
  readonly path: string;
  readonly label: string;
  readonly reporter: ArrivalReporter;
  readonly details: DivergenceDetails;
  /** The run itself is called once more. */
  readonly isAnotherRun: boolean;
  /** What the plan says of it by name. */
  readonly rule: ReturnType<ResolvedPlan['ruleFor']>;
  /** By the plan its code runs. */
  readonly isLive: boolean;
}

/**
 * Answers calls for which no recorded crossing is left: most are refused and told as a divergence. The first that applies counts: the plan
 * forbids it, it comes after the run, it comes behind all that was recorded, else it is told.
 */
export class MissingCalls {
  private readonly options: MissingCallsOptions;
  private readonly unpatched: UnpatchedClients;

  constructor(options: MissingCallsOptions) {
    this.options = options;
    this.unpatched = new UnpatchedClients(options.lookUp);
  }

  answer(arrival: Arrival, crossing: number, missing: Missing): Answer {
    const call = this.described(arrival, crossing, missing);
    return (
      this.forbidden(call) ??
      this.sentUnpatched(call) ??
      this.afterTheRun(call) ??
      this.behindTheRecording(call) ??
      this.told(call)
    );
  }

  /** Any call was answered, recorded or not: whether a client that was let through had sent it. */
  answered(arrival: Arrival, answer: Answer): void {
    this.unpatched.answered(arrival, answer);
  }

  private sentUnpatched({ missing, rule, ...call }: MissingCall): Answer | undefined {
    if (missing.reason !== 'never-recorded' || rule !== undefined) return undefined;
    return this.unpatched.answer({ ...call, under: missing.under });
  }

  private described(arrival: Arrival, crossing: number, missing: Missing): MissingCall {
    const { boundary, source } = arrival;
    const { sink, plan, changes, lookUp, schedule, paths } = this.options;
    const { kind, name, effect } = boundary;
    const isAnotherRun = missing.reason === 'exhausted' && missing.closest === lookUp.root;
    const path = isAnotherRun ? paths.anotherRun() : paths.unmatched(missing.under, boundary);
    const rule = plan.ruleFor({ kind, name, path }, effect);
    return {
      arrival,
      missing,
      path,
      label: crossingLabel(boundary),
      reporter: new ArrivalReporter(sink, crossing, path, source),
      details: atOnce(missing.closest, schedule.nowUs),
      isAnotherRun,
      rule,
      isLive: rule === 'live' || (rule === undefined && changes.allowsAfterFork(boundary)),
    };
  }

  private forbidden({ arrival, path, label, reporter, details, rule }: MissingCall): Answer | undefined {
    const isForkedWrite = rule === undefined && this.options.changes.forbidsAfterFork(arrival.boundary);
    if (rule !== 'forbid' && !isForkedWrite) return undefined;
    const words = isForkedWrite ? wording.forkedWrite(path, label) : wording.forbidden(path, label, arrival.source);
    reporter.divergence('forbidden', words, details);
    return reporter.refuse(undefined);
  }

  /** What closes what was opened, or goes on by itself: the run is judged without it. */
  private afterTheRun({ arrival, missing, path, label, reporter, ...call }: MissingCall): Answer | undefined {
    const { lookUp, setUp } = this.options;
    if (call.isLive || call.isAnotherRun || !lookUp.isAfterRun(missing.under, arrival.position?.cursor))
      return undefined;
    const after = { path, label, root: lookUp.root, setUp };
    const isClosing = arrival.closes === true;
    const text = isClosing ? wording.closedAfterTheRun(after) : wording.afterTheRun(after);
    return reporter.refuseUncompared(text, isClosing);
  }

  /** Of a run whose process died, nobody knows whether the call had been made. */
  private behindTheRecording({ missing, path, isLive, isAnotherRun }: MissingCall): Answer | undefined {
    const { player, plan, setUp, processEnd } = this.options;
    const end = this.options.end();
    const isOfRun = missing.under !== BEFORE_RUN && missing.under !== setUp?.spanId;
    if (isLive || isAnotherRun || !isOfRun || plan.stopOnDivergence) return undefined;
    const position = { player, cursor: undefined };
    return end?.isPassed === true
      ? end.hold(path, position, missing.closest)
      : processEnd.hold({ path, position, under: missing.under, like: missing.closest });
  }

  private told(call: MissingCall): Answer {
    const { arrival, missing, path, label, reporter, details, isLive, isAnotherRun } = call;
    const { player, plan, lookUp, schedule, paths, setUp } = this.options;
    const isRun = isLive && !plan.stopOnDivergence;
    const beside = this.besideTheRun(label, arrival.position?.cursor);
    if (beside !== undefined) {
      reporter.divergence(missing.reason, wording.besideTheRun(label, lookUp.root), { ...details, ...beside });
    } else {
      const words = isAnotherRun
        ? wording.anotherRun(path, lookUp.root)
        : missingWording({
            missing,
            path,
            boundary: arrival.boundary,
            lookUp,
            setUp,
            inside: this.insideLive(arrival, missing),
          });
      reporter.divergence(
        missing.reason,
        isRun ? { ...words, next: wording.ranAnew(arrival.boundary) } : words,
        details,
      );
    }
    if (!isRun) return reporter.refuse(undefined);
    // An agent's own code is what a replay runs again, guarded: to let that of a new one run is not to let its effects happen.
    const mode = arrival.boundary.kind === 'agent' ? 'rerun' : 'live';
    reporter.met(mode, { compared: false });
    return {
      type: 'run',
      mode,
      recorded: undefined,
      position: { player, cursor: paths.emptyCursor(path), isLive: mode === 'live' },
      settled: mode === 'live' ? schedule.beganUnrecorded() : () => undefined,
    };
  }

  /** The recorded crossing whose code runs for real and makes the call; another service's code is no such. */
  private insideLive({ position }: Arrival, { under }: Missing): Crossing | undefined {
    const enclosing = position?.isLive === true ? this.options.paths.enclosing(under) : undefined;
    return enclosing === undefined || this.options.plan.isHop(enclosing) ? undefined : enclosing;
  }

  private besideTheRun(label: string, cursor: string | undefined): CalledBeside | undefined {
    const { lookUp, setUp, time } = this.options;
    if (cursor !== undefined && cursor !== setUp?.spanId) return undefined;
    return calledBesideNow(label, { root: lookUp.root, setUp, isEntered: !time.isBeforeRun });
  }
}
