import { LATE_DRAWS_MARK, type LateDraws, processState } from '@reenact/trace-model';
import { LATE_CROSSINGS_MAX, LATE_DRAWN_CHARACTERS_MAX, LATE_DRAWS_MAX } from '../limits.ts';
import type { CarriedDraws } from './carried-draws.ts';
import type { CrossingScope, LateTape, RunState } from './crossing-scope.ts';
import { DrawTape } from './draw-tape.ts';

const limits = { draws: LATE_DRAWS_MAX, ticks: LATE_DRAWS_MAX, characters: LATE_DRAWN_CHARACTERS_MAX };

const givenUp = `${LATE_DRAWS_MARK}all draws of more than ${LATE_CROSSINGS_MAX} ended crossings waited for a call`;

/** The draws that wait, by their crossings, and what was not kept of them. `tell`: of each loss once. */
function carriedOf(waiting: Iterable<LateTape>, tell: (late: LateTape) => number): CarriedDraws {
  const late: Record<string, readonly LateDraws[]> = {};
  const marks: string[] = [];
  for (const one of waiting) {
    const drawn = one.tape.drawnYet();
    if (drawn !== undefined) late[one.spanId] = [{ ...drawn, ordinal: one.ordinal }];
    for (const loss of one.tape.losses().slice(tell(one))) marks.push(`${LATE_DRAWS_MARK}${loss}`);
  }
  return { late: Object.keys(late).length === 0 ? undefined : late, marks };
}

/**
 * Holds what code draws whose crossing has ended (docs/adr/0049): its span has left, so that the next call of its run carries it, for which
 * alone it can matter. What waits is bounded.
 */
class LateTapes {
  /** Whether there may be such code: until then nobody need ask where a draw stands that is made between runs. */
  hasEnded = false;
  private readonly waiting = new Set<LateTape>();
  private hasGivenUp = false;

  /** Where the code directly inside this crossing draws, which has ended; undefined where that is not kept any more. */
  tapeOf(scope: CrossingScope): DrawTape | undefined {
    scope.late ??= this.begin(scope);
    const { late } = scope;
    if (late.isGivenUp) return undefined;
    if (!late.isWaiting) this.wait(late);
    return late.tape;
  }

  private begin({ spanId, run }: CrossingScope): LateTape {
    return {
      spanId,
      run,
      tape: new DrawTape(limits),
      ordinal: 0,
      isWaiting: false,
      isGivenUp: false,
      toldLosses: 0,
    };
  }

  private wait(late: LateTape): void {
    late.isWaiting = true;
    late.run.late ??= { waiting: new Set(), hasGivenUp: false };
    late.run.late.waiting.add(late);
    this.waiting.add(late);
    const [oldest] = this.waiting.size > LATE_CROSSINGS_MAX ? this.waiting : [];
    if (oldest !== undefined) this.giveUp(oldest);
  }

  private giveUp(late: LateTape): void {
    late.isGivenUp = true;
    this.hasGivenUp = true;
    this.waiting.delete(late);
    if (late.run.late === undefined) return;
    late.run.late.waiting.delete(late);
    late.run.late.hasGivenUp = true;
  }

  /** What waits in this run, for a call that begins in it and carries it; undefined where that is nothing. */
  take({ late: ofRun }: RunState): CarriedDraws | undefined {
    if (ofRun === undefined || (ofRun.waiting.size === 0 && !ofRun.hasGivenUp)) return undefined;
    const { late, marks } = carriedOf(ofRun.waiting, ({ toldLosses }) => toldLosses);
    for (const one of ofRun.waiting) {
      if (late?.[one.spanId] !== undefined) one.ordinal += 1;
      one.toldLosses = one.tape.losses().length;
      one.tape.restart();
      one.isWaiting = false;
      this.waiting.delete(one);
    }
    ofRun.waiting.clear();
    const all = ofRun.hasGivenUp ? [...marks, givenUp] : marks;
    ofRun.hasGivenUp = false;
    return late === undefined && all.length === 0 ? undefined : { late, marks: all };
  }

  /** What waits in all runs of this process and no call has carried, for the run of the process: its calls may be made of it. */
  left(): CarriedDraws {
    const { late, marks } = carriedOf(this.waiting, () => 0);
    return { late, marks: this.hasGivenUp ? [...marks, givenUp] : marks };
  }

  /** Forgets all of it. */
  reset(): void {
    for (const { run } of this.waiting) run.late = undefined;
    this.waiting.clear();
    this.hasEnded = false;
    this.hasGivenUp = false;
  }
}

/** Those of this process; shared between all copies of this package that are loaded. */
export const lateTapes: LateTapes = processState('late-draws.1', () => new LateTapes());
