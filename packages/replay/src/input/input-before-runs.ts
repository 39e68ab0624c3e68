import { pristine } from '@reenact/instrumentation';
import type { InputPiece } from '@reenact/trace-model';
import {
  INPUT_LOOK_MS_MAX,
  INPUT_QUIET_LOOKS,
  INPUT_QUIET_MS_MAX,
  INPUT_RUN_MS_MAX,
  INPUT_TIMERS_MS_MAX,
} from '../limits.ts';
import { isQuiet } from '../time/schedule/quiet-process.ts';
import type { GivenInput } from './given-input.ts';

/** What came before a run. */
export interface PieceBefore {
  readonly piece: InputPiece;
  /** How long after the piece before it, the end of a run or the start of the process, milliseconds. */
  readonly afterMs: number;
}

/** A run that the process is to begin, and what came before it. */
export interface RunToBegin {
  readonly pieces: readonly PieceBefore[];
  readonly hasBegun: () => boolean;
}

/** What decides when the program is given what came between its runs. */
export interface InputBeforeRunsOptions {
  readonly given: GivenInput;
  /** In their recorded order. */
  readonly runs: readonly RunToBegin[];
  /** Whether a run goes on, or something recorded is on its way to the program. */
  readonly isBusy: () => boolean;
  /** Whether the program waits for a timer of its own, which keeps it. */
  readonly hasTimers: () => boolean;
  /** Told where the program waits, and nothing is left to come before any run. */
  readonly isLeftWaiting: () => void;
  readonly isQuiet?: (() => boolean) | undefined;
  readonly nowMs?: (() => number) | undefined;
  /** Looks some milliseconds from now. Keeps no process: the stream itself does. */
  readonly lookAfter?: ((delayMs: number, look: () => void) => void) | undefined;
}

function lookAfter(delayMs: number, look: () => void): void {
  pristine.setTimeout(look, delayMs).unref();
}

const noRun: RunToBegin = { pieces: [], hasBegun: () => false };

/**
 * Gives the program what came before its first run and between its runs, piece by piece: each once the program waits for it, has done with the one before
 * and does nothing else (docs/adr/0054). Somebody who types waits for the question, too, and what was asked too early gets no answer.
 */
export class InputBeforeRuns {
  private readonly options: InputBeforeRunsOptions;
  private readonly nowMs: () => number;
  private readonly isQuiet: () => boolean;
  private readonly lookAfter: (delayMs: number, look: () => void) => void;
  private isLooking = false;
  private lookMs = 1;
  private quietLooks = 0;
  private sinceMs: number;
  /** How many runs were given up, which the program does not begin any more. */
  private skipped = 0;

  constructor(options: InputBeforeRunsOptions) {
    this.options = options;
    this.nowMs = options.nowMs ?? pristine.performanceNow;
    this.isQuiet = options.isQuiet ?? (() => isQuiet(0));
    this.lookAfter = options.lookAfter ?? lookAfter;
    this.sinceMs = this.nowMs();
    const { given } = options;
    for (const { piece } of options.runs.flatMap(({ pieces }) => pieces))
      if (piece.isFile === true) given.holdOut(piece);
    given.wanted = () => this.wanted();
  }

  private wanted(): void {
    this.sinceMs = this.nowMs();
    this.lookMs = 1;
    this.quietLooks = 0;
    this.wait();
  }

  private wait(): void {
    if (this.isLooking) return;
    this.isLooking = true;
    this.lookAfter(this.lookMs, () => this.look());
  }

  /** Looks once whether the next piece may come. */
  look(): void {
    this.isLooking = false;
    if (!this.options.given.isAwaited) return;
    if (this.options.isBusy()) {
      this.sinceMs = this.nowMs();
      this.lookMs = Math.min(this.lookMs * 2, INPUT_LOOK_MS_MAX);
      this.quietLooks = 0;
    } else {
      this.quietLooks = this.isQuiet() ? this.quietLooks + 1 : 0;
      if (this.quietLooks >= INPUT_QUIET_LOOKS || this.nowMs() - this.sinceMs >= INPUT_QUIET_MS_MAX) this.giveNext();
    }
    this.wait();
  }

  private giveNext(): void {
    const { given, runs, isLeftWaiting } = this.options;
    const pieceOf = ({ pieces }: RunToBegin): PieceBefore | undefined => pieces.find(({ piece }) => !given.has(piece));
    const next = runs.findIndex(({ hasBegun }, index) => index >= this.skipped && !hasBegun());
    const before = next === -1 ? undefined : pieceOf(runs[next] ?? noRun);
    if (before !== undefined) {
      if (!this.waitsForTimers(before)) given.give([before.piece]);
      return;
    }
    if (next !== -1 && this.nowMs() - this.sinceMs < INPUT_RUN_MS_MAX) return;
    const later = runs.findIndex((run, index) => index > next && !run.hasBegun() && pieceOf(run) !== undefined);
    if (next === -1 || later === -1) isLeftWaiting();
    else this.skipped = later;
  }

  /** What a program asks when some time has passed is not answered before. */
  private waitsForTimers({ afterMs }: PieceBefore): boolean {
    if (this.nowMs() - this.sinceMs >= Math.min(afterMs, INPUT_TIMERS_MS_MAX)) return false;
    return this.options.hasTimers();
  }
}
