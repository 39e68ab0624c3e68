import { type Answer, type Position, pristine } from '@reenact/instrumentation';
import type { Crossing } from '@reenact/trace-model';
import type { EventSink } from '../events/event-sink.ts';
import { AFTER_RUN_MS_MAX, RUN_TAIL_MS } from '../limits.ts';
import type { ReleaseSchedule } from '../time/schedule/release-schedule.ts';
import type { LookUp } from './look-up.ts';
import { isWaitable, neverAnswered } from './never-answered.ts';

/** What tells where the recording of a run ends. */
export interface RecordingEndOptions {
  readonly root: Crossing;
  readonly lookUp: LookUp;
  readonly schedule: ReleaseSchedule;
  readonly sink: EventSink;
}

/**
 * The end of a recording whose process was stopped from outside, or died: the run had not ended, and what came after was never
 * recorded, which is not the same as never made. A replay that goes on behind it compares nothing more: its calls are held, none is
 * one too many, and its process is stopped.
 */
export class RecordingEnd {
  private readonly options: RecordingEndOptions;
  private readonly stop: () => void;
  /** Whether the process is being stopped. */
  isStopping = false;
  private isWatching = false;

  /** `stop`: ends this process at once, as something that the run did not do. */
  constructor(options: RecordingEndOptions, stop: () => void) {
    this.options = options;
    this.stop = stop;
  }

  /** Whether everything that is known of the run has happened, and nothing runs that was not recorded. */
  get isPassed(): boolean {
    return this.options.root.outcome.type === 'pending' && this.hasBegun && !this.hasLeft && !this.isUnderWay;
  }

  /** Whether the program has got to the run. */
  get hasBegun(): boolean {
    return this.options.lookUp.rootMet;
  }

  /** Whether something of the run was recorded that has not been called yet. */
  get hasLeft(): boolean {
    return this.options.lookUp.hasLeft;
  }

  /** Whether something recorded is still to be given to the agent, or something runs live. */
  get isUnderWay(): boolean {
    return this.options.schedule.isUnderWay;
  }

  /** Something was answered: from when on nothing is left, the program has some time to end by itself. */
  answered(): void {
    const { root, lookUp } = this.options;
    if (this.isWatching || root.outcome.type !== 'pending' || lookUp.hasLeft) return;
    this.isWatching = true;
    const check = (): void => {
      if (!this.isPassed) {
        this.isWatching = false;
        this.answered();
        return;
      }
      const seconds = AFTER_RUN_MS_MAX / 1_000;
      this.note(`went on for ${seconds} seconds after the last that was recorded of it`);
      this.isStopping = true;
      this.stop();
    };
    pristine.setTimeout(check, AFTER_RUN_MS_MAX).unref();
  }

  /** Answers a call behind the end: never. `like`: a call of its shape; undefined where none was recorded. */
  hold(path: string, position: Position, like: Crossing | undefined): Answer {
    const { root } = this.options;
    this.note(`went on to call ${path}`);
    const wasStopping = this.isStopping;
    this.isStopping = true;
    if (like === undefined || !isWaitable(like)) this.stop();
    else if (!wasStopping) pristine.setTimeout(this.stop, RUN_TAIL_MS);
    return neverAnswered(like ?? root, position);
  }

  /** A stream of values is read beyond what is known of it: ends the process where that is behind the end, for a synchronous read cannot wait. */
  readOn({ path, outcome }: Crossing): void {
    if (outcome.type !== 'pending' || outcome.chunks === undefined || this.options.root.outcome.type !== 'pending')
      return;
    if (this.options.lookUp.hasLeftWithinKnown || this.isUnderWay) return;
    this.note(`read on in ${path}`);
    this.endProcess();
  }

  /** Ends the process at once: how that comes about was recorded otherwise, and what comes after is no part of the run. */
  endProcess(): void {
    this.isStopping = true;
    this.stop();
  }

  private note(what: string): void {
    if (this.isStopping) return;
    const { root, sink } = this.options;
    const text =
      `The recording of ${root.path} ends where its process was stopped or died. In the replay the program ${what}: ` +
      'whether it had done so is not known, nothing of it is compared, and it was stopped there.';
    sink.write({ type: 'note', text, unverified: false });
  }
}
