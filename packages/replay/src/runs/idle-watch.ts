import { pristine } from '@reenact/instrumentation';
import { type Crossing, crossingLabel, PROCESS_RUN_LABEL } from '@reenact/trace-model';
import type { EventSink } from '../events/event-sink.ts';
import type { StampedEvent } from '../events/replay-event.ts';
import { AFTER_RUN_MS_MAX, IDLE_LOOK_MS, IDLE_MS, IDLE_MS_MAX } from '../limits.ts';
import type { RecordingEnd } from '../player/recording-end.ts';
import { waitsForNothingReal } from './waits-for-nothing-real.ts';

/** How the program that is watched can be looked at, and ended. */
export interface WatchedProgram {
  /** Whether nothing real goes on in this process, and nobody types. */
  readonly isIdle: () => boolean;
  /** How many listen for a signal. */
  readonly listenerCount: (signal: NodeJS.Signals) => number;
  /** Sends itself a signal. */
  readonly signal: (signal: NodeJS.Signals) => void;
  /** Ends it at once, as something that the run did not do. */
  readonly stop: () => void;
}

/** What is watched. */
export interface IdleWatchOptions {
  readonly root: Crossing;
  readonly end: Pick<RecordingEnd, 'hasBegun' | 'hasLeft' | 'isUnderWay' | 'isPassed' | 'isStopping'>;
  readonly sink: EventSink;
  /** See `upgradesIn`. */
  readonly upgrades: ReadonlySet<string>;
  /** See `longestGapMs`. */
  readonly longestGapMs: number;
  readonly program: WatchedProgram;
  readonly nowMs?: (() => number) | undefined;
  /** The run is that of a request, which the driver sends when it is time: nothing is said of how long it takes until then. */
  readonly isAsked?: boolean;
}

/** How a note ends of a program that was stopped, whose exit code is then none of its own. */
export const STOPPED_THERE = 'It was stopped there.';

const { kill } = process;
/** In the order in which supervisors send them. */
const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** The program of this process. `stop`: see `WatchedProgram`. */
export function ownProgram(stop: () => void): WatchedProgram {
  return {
    isIdle: waitsForNothingReal(),
    listenerCount: (signal) => process.listenerCount(signal),
    signal: (signal) => void kill.call(process, pristine.processId, signal),
    stop,
  };
}

/**
 * Ends a program that waits for something that does not come in a replay: a message over a connection that was refused, a
 * request to a server that nobody asks, a signal that ended it when it was recorded. A program that listens for a signal is sent that, and
 * ends as it did then; any other is stopped. What the recording has still to come is waited for as long as it can be taken to be under way.
 */
export class IdleWatch {
  private readonly options: IdleWatchOptions;
  private readonly nowMs: () => number;
  private readonly met = new Set<string>();
  private activeMs: number;
  private mayWaitForOthers = false;
  private hasEnded = false;
  private isSignalled = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(options: IdleWatchOptions) {
    this.options = options;
    this.nowMs = options.nowMs ?? pristine.performanceNow;
    this.activeMs = this.nowMs();
  }

  /** Looks from now on, for as long as something else keeps the process. */
  start(): void {
    this.timer = pristine.setInterval(() => this.look(), IDLE_LOOK_MS).unref();
  }

  /** Told of everything that is reported of the runs of this process. */
  told({ event, run }: Pick<StampedEvent, 'event' | 'run'>): void {
    if (event.type === 'divergence' && event.kind === 'forbidden') this.mayWaitForOthers = true;
    if (event.type === 'outcome' && event.path === this.options.root.path && run === undefined) this.hasEnded = true;
    if (event.type !== 'met' || event.recordedSpanId === undefined || this.met.has(event.recordedSpanId)) return;
    if (this.options.upgrades.has(event.recordedSpanId)) this.mayWaitForOthers = true;
    // A poll that is refused again and again, or answered with the same, is no step ahead.
    this.met.add(event.recordedSpanId);
    this.activeMs = this.nowMs();
  }

  /** A server of this process listens. */
  listens(): void {
    this.mayWaitForOthers = true;
  }

  /** Looks once. */
  look(): void {
    const { end, program } = this.options;
    if (this.hasEnded || end.isStopping || end.isPassed) return;
    if (end.isUnderWay || !program.isIdle()) this.activeMs = this.nowMs();
    if (this.nowMs() - this.activeMs >= this.patienceMs()) this.finish();
  }

  private patienceMs(): number {
    const { root, end, longestGapMs } = this.options;
    if (this.isSignalled) return AFTER_RUN_MS_MAX;
    // Before the run timers go by real time: only what was refused, or a server, shows that it waits for somebody else.
    if (!end.hasBegun && (!this.mayWaitForOthers || this.options.isAsked === true)) return Number.POSITIVE_INFINITY;
    const isProcess = crossingLabel(root) === PROCESS_RUN_LABEL;
    if (end.hasBegun && !end.hasLeft && isProcess && this.listenedSignal() !== undefined) return AFTER_RUN_MS_MAX;
    const patienceMs = Math.max(IDLE_MS, 2 * longestGapMs);
    return this.mayWaitForOthers ? Math.min(patienceMs, IDLE_MS_MAX) : patienceMs;
  }

  private listenedSignal(): NodeJS.Signals | undefined {
    return SIGNALS.find((signal) => this.options.program.listenerCount(signal) > 0);
  }

  private finish(): void {
    const { end, program } = this.options;
    const signal = this.isSignalled ? undefined : this.listenedSignal();
    const seconds = Math.round((this.nowMs() - this.activeMs) / 1_000);
    this.note(seconds, signal);
    this.activeMs = this.nowMs();
    if (signal !== undefined) {
      this.isSignalled = true;
      program.signal(signal);
      return;
    }
    if (this.timer !== undefined) pristine.clearInterval(this.timer);
    end.isStopping = true;
    program.stop();
  }

  private note(seconds: number, signal: NodeJS.Signals | undefined): void {
    const { root, end, sink, isAsked = false } = this.options;
    const calls = end.hasLeft ? 'before' : 'after';
    const what = this.isSignalled
      ? `The program did not end within ${seconds} seconds after the signal.`
      : isAsked
        ? `${root.path} waited for ${seconds} seconds ${calls} all that was recorded of it had been called, and was not answered: what it waits for came of another request of its process, or of something that does not come in a replay. \`--requests-before all\` sends those that came before it and beside it.`
        : !end.hasBegun
          ? `The program waited for ${seconds} seconds and never got to ${root.path}: what came over a connection, or to a server, when it was recorded does not come in a replay.`
          : end.hasLeft
            ? `The program waited for ${seconds} seconds before all that was recorded of ${root.path} had been called: what it waits for does not come in a replay.`
            : `The program waited for ${seconds} seconds after all that was recorded of ${root.path} had been called, and did not end.`;
    const how = signal === undefined ? STOPPED_THERE : `It was sent ${signal} there, which it listens for.`;
    sink.write({ type: 'note', text: `${what} ${how}`, unverified: false, ...(isAsked ? { unanswered: true } : {}) });
  }
}
