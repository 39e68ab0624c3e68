import { EXPECTED_CALL_MS_MAX, STEPS_GIVEN_UP_MAX } from '../../limits.ts';
import { runningMs } from './stopped-time.ts';

/** The schedule of one run, as it is seen beside others. Times are microseconds since that run was recorded to start. */
export interface RunInStep {
  /** Whether its code still reacts to what it was given. */
  readonly isReacting: boolean;
  /** When the first of what waits was recorded to come; undefined where nothing waits. */
  readonly nextUs: number | undefined;
  /** Of what goes on for real, and takes the time that takes. */
  readonly live: { readonly isAny: boolean };
  readonly rules: {
    /** When the first call or end of its code is expected by the recording; infinite where none is. */
    readonly expectedUs: number;
    /** How long nothing has happened in it, milliseconds. */
    readonly quietMs: number;
    /** What it is expected to do before this is not waited for any more. */
    giveUp(beforeUs: number): void;
  };
  /** Releases what waits for others, where it waits for none any more. */
  goOn(): void;
  /** The same, once the code of all runs has reacted to what goes on now. */
  lookAgain(): void;
}

/** One run's place beside the others. */
export interface StepOfRun {
  /**
   * How many real milliseconds to wait for the others before what was recorded to come at this time; 0: for none. It goes on earlier where it is told
   * to. undefined: it waits for something of its own.
   */
  restMs(timeUs: number | undefined): number;
  /** Its code has reacted, or it waits: others may go on. */
  paused(): void;
  /** Its code has made a call, or come to an end. */
  moved(): void;
  /** The run is over, and nothing is expected of it. What its code has left behind is kept in order, as long as it waits here. */
  leave(): void;
}

/** Times are recorded in nanoseconds: what two runs, each by its own start, say of one and the same differs by less, which is rounding. */
const SAME_TIME_US = 0.000_5;

function isBefore(timeUs: number, otherUs: number): boolean {
  return timeUs < otherUs - SAME_TIME_US;
}

interface Member {
  readonly run: RunInStep;
  /** When it was recorded to start, microseconds since the first of all that was told. */
  readonly startUs: number;
  isWaiting: boolean;
  hasLeft: boolean;
  /** It was waited for in vain, and has done nothing since. */
  isGivenUp: boolean;
}

/**
 * Keeps the runs of one process, and what goes on outside of them, in the order in which they were recorded to get what they asked for: each has a
 * clock of its own, all of one machine. What comes first of all is released first, and the others wait until its code has reacted.
 */
export class RunsInStep {
  private readonly members = new Set<Member>();
  private originUnixNano: bigint | undefined;
  private givenUp = 0;
  private givenUpMs = Number.NEGATIVE_INFINITY;

  /** A run begins that was recorded to start then. */
  join(run: RunInStep, startUnixNano: bigint): StepOfRun {
    this.originUnixNano ??= startUnixNano;
    const startUs = Number(startUnixNano - this.originUnixNano) / 1_000;
    const member: Member = { run, startUs, isWaiting: false, hasLeft: false, isGivenUp: false };
    this.members.add(member);
    return {
      restMs: (timeUs) => {
        const restMs = timeUs === undefined ? 0 : this.restMs(member, timeUs);
        this.waits(member, restMs > 0);
        return restMs;
      },
      paused: () => this.firstWaitingBeside(member)?.goOn(),
      moved: () => {
        member.isGivenUp = false;
        this.firstWaitingBeside(member)?.lookAgain();
      },
      leave: () => {
        member.hasLeft = true;
        this.waits(member, member.isWaiting);
        this.firstWaitingBeside(member)?.lookAgain();
      },
    };
  }

  /** One that has left stays known as long as it waits for others. */
  private waits(member: Member, isWaiting: boolean): void {
    member.isWaiting = isWaiting;
    if (isWaiting) this.members.add(member);
    else if (member.hasLeft) this.members.delete(member);
  }

  private restMs(own: Member, timeUs: number): number {
    const sinceOriginUs = own.startUs + timeUs;
    let restMs = 0;
    for (const other of this.members) {
      if (other === own) continue;
      const { run, startUs } = other;
      const beforeUs = sinceOriginUs - startUs;
      const { nextUs } = run;
      if (run.isReacting || (nextUs !== undefined && isBefore(nextUs, beforeUs))) return EXPECTED_CALL_MS_MAX;
      // Code that waits for something has nothing else to do, mostly.
      if (nextUs !== undefined || other.hasLeft || run.live.isAny || !isBefore(run.rules.expectedUs, beforeUs))
        continue;
      const patienceMs = this.givenUp < STEPS_GIVEN_UP_MAX ? EXPECTED_CALL_MS_MAX - run.rules.quietMs : 0;
      if (patienceMs > 0) restMs = Math.max(restMs, patienceMs);
      else this.giveUp(other, beforeUs);
    }
    return restMs;
  }

  private giveUp(member: Member, beforeUs: number): void {
    const nowMs = runningMs();
    // Those that were quiet at once took the time of one.
    if (!member.isGivenUp && nowMs - this.givenUpMs > EXPECTED_CALL_MS_MAX / 2) {
      this.givenUp += 1;
      this.givenUpMs = nowMs;
    }
    member.isGivenUp = true;
    member.run.rules.giveUp(beforeUs);
  }

  /** The first of those that wait, where that is another. */
  private firstWaitingBeside(own: Member): RunInStep | undefined {
    let first: Member | undefined;
    let firstUs = Number.POSITIVE_INFINITY;
    for (const member of this.members) {
      const { nextUs } = member.run;
      if (!member.isWaiting || nextUs === undefined || member.startUs + nextUs >= firstUs) continue;
      first = member;
      firstUs = member.startUs + nextUs;
    }
    return first === own ? undefined : first?.run;
  }
}
