import { type Answer, type Position, pristine } from '@reenact/instrumentation';
import type { Crossing, Recording } from '@reenact/trace-model';
import type { EventSink } from '../events/event-sink.ts';
import { AFTER_RUN_MS_MAX, RUN_TAIL_MS } from '../limits.ts';
import { cutOffProcess } from '../recorded/cut-off-process.ts';
import type { LookUp } from './look-up.ts';
import { isWaitable, neverAnswered } from './never-answered.ts';
import { isSignalledByRun } from './sent-signals.ts';

const killNow = process.kill.bind(process);

/** A call for which nothing was recorded. */
interface CallBehind {
  readonly path: string;
  readonly position: Position;
  /** The span id of the recorded crossing in which it was looked up. */
  readonly under: string;
  /** A recorded call that is likest to it; undefined where there is none. */
  readonly like: Crossing | undefined;
}

interface ProcessEndOptions {
  readonly recording: Recording;
  readonly lookUp: Pick<LookUp, 'hasLeftInside' | 'root'>;
  readonly sink: EventSink;
}

/**
 * The end of what was recorded of a process that the run has started, and that something ended: the signal may come a little later in a replay than it did. What such a process
 * goes on to call is held, and none of it is one too many.
 */
export class ProcessEnd {
  private readonly options: ProcessEndOptions;
  private isPassed = false;

  constructor(options: ProcessEndOptions) {
    this.options = options;
  }

  /** Answers a call behind that end: never. Undefined where it is none. Where no signal of the run ends the process, this does. */
  hold({ path, position, under, like }: CallBehind): Answer | undefined {
    const { recording, lookUp } = this.options;
    const ended = cutOffProcess(recording, lookUp.root, under);
    if (ended === undefined || like === undefined || lookUp.hasLeftInside(ended.spanId)) return undefined;
    this.note(ended, path);
    // A signal that the run sends may not be the one that ended it: it may listen for that.
    const withinMs = isSignalledByRun(recording, ended) ? AFTER_RUN_MS_MAX : RUN_TAIL_MS;
    if (isWaitable(like)) pristine.setTimeout(end, withinMs);
    else endWithin(withinMs);
    return neverAnswered(like, position);
  }

  private note({ path: process }: Crossing, path: string): void {
    if (this.isPassed) return;
    this.isPassed = true;
    const text = `The recording of ${process} ends where that process was stopped or died. In the replay it went on to call ${path}: whether it had done so is not known, and nothing of it is compared.`;
    this.options.sink.write({ type: 'note', text, unverified: false });
  }
}

/** Which signal it was nobody knows: of those that nothing listens for, it is the one that comes from outside. */
function end(): void {
  killNow(pristine.processId, 'SIGKILL');
}

/** Who makes such a call does nothing before it has an answer: so does this process, until the signal comes that ends it, or the time is over. */
function endWithin(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  end();
}
