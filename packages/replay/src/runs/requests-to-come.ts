import { pristine } from '@reenact/instrumentation';
import type { Crossing } from '@reenact/trace-model';
import { EXPECTED_CALL_MS_MAX, SET_UP_LOOK_QUIET_MS } from '../limits.ts';
import type { RunInStep, RunsInStep, StepOfRun } from '../time/schedule/runs-in-step.ts';
import { runningMs } from '../time/schedule/stopped-time.ts';

/** What decides when each request is sent that a replay goes through. */
export interface RequestsToComeOptions {
  /** The roots of all of them, in the order in which they came. */
  readonly roots: readonly Crossing[];
  readonly inStep: RunsInStep;
  /** Has the request of this root sent now. */
  readonly due: (root: Crossing) => void;
  /** Whether the process has polled all that it had before the first of them. Default: it polled nothing. */
  readonly mayBegin?: (() => boolean) | undefined;
}

/**
 * The requests that are still to come, in step with the runs that go on: each is sent when everything has happened that was recorded to happen before it
 * came, and nothing that was recorded to happen behind that goes on before it is there (docs/adr/0050). The first is sent unasked.
 */
export class RequestsToCome implements RunInStep {
  readonly isReacting = false;
  readonly live = { isAny: false };
  readonly rules: RunInStep['rules'];
  private readonly options: RequestsToComeOptions;
  private readonly step: StepOfRun;
  private index = 0;
  /** When the next one was told to be due; undefined before. */
  private dueMs: number | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(options: RequestsToComeOptions) {
    this.options = options;
    const expectedUs = (): number => (this.dueMs === undefined ? Number.POSITIVE_INFINITY : this.startUs());
    const quietMs = (): number => (this.dueMs === undefined ? 0 : runningMs() - this.dueMs);
    this.rules = {
      get expectedUs() {
        return expectedUs();
      },
      get quietMs() {
        return quietMs();
      },
      giveUp: () => this.goBeyond(this.index),
    };
    this.step = options.inStep.join(this, options.roots[0]?.startTimeUnixNano ?? 0n);
  }

  /** When the next one came, microseconds since the first did; infinite where all are there. */
  private startUs(): number {
    const { roots } = this.options;
    const [first, next] = [roots[0], roots[this.index]];
    if (first === undefined || next === undefined) return Number.POSITIVE_INFINITY;
    return Number(next.startTimeUnixNano - first.startTimeUnixNano) / 1_000;
  }

  /** See `RunInStep`. */
  get nextUs(): number | undefined {
    return this.dueMs === undefined && this.index < this.options.roots.length ? this.startUs() : undefined;
  }

  /** A request is there. */
  came(root: Crossing): void {
    const at = this.options.roots.indexOf(root);
    if (at >= this.index) this.goBeyond(at);
  }

  private goBeyond(at: number): void {
    this.index = at + 1;
    this.dueMs = undefined;
    if (this.index >= this.options.roots.length) this.step.leave();
    else this.step.moved();
    this.lookAgain();
  }

  /** See `RunInStep`. */
  goOn(): void {
    this.lookAgain();
  }

  /** Looks once what goes on now has been reacted to. */
  lookAgain(): void {
    if (this.timer !== undefined) pristine.clearTimeout(this.timer);
    this.timer = pristine.setTimeout(() => this.look(), 0);
    this.timer.unref();
  }

  private look(): void {
    const root = this.options.roots[this.index];
    if (root === undefined) return;
    if (this.index === 0 && this.dueMs === undefined && this.options.mayBegin?.() === false) {
      this.timer = pristine.setTimeout(() => this.look(), SET_UP_LOOK_QUIET_MS);
      this.timer.unref();
      return;
    }
    const restMs = this.dueMs === undefined ? this.step.restMs(this.nextUs) : EXPECTED_CALL_MS_MAX - this.rules.quietMs;
    if (restMs > 0) {
      this.timer = pristine.setTimeout(() => this.look(), restMs);
      this.timer.unref();
      this.step.paused();
    } else if (this.dueMs === undefined) {
      this.dueMs = runningMs();
      this.options.due(root);
      this.lookAgain();
    } else this.goBeyond(this.index);
  }
}
