import { type Crossing, isMessageOfProcess, type SetUp } from '@reenact/trace-model';
import { isPolling } from '../recorded/is-polling.ts';
import type { RecordedTimeline } from '../recorded/recorded-timeline.ts';

/** Just before the run begins, microseconds of its time. */
const RUN_BEGINS_US = -1;

interface CallToCome {
  /** Undefined: the beginning of the run itself. */
  readonly crossing: Crossing | undefined;
  readonly startUs: number;
}

/** The calls that a process made before a run when that was recorded, in their order, and the run behind them: what timers call again and again is still to come. */
export class SetUpToCome {
  private readonly calls: readonly CallToCome[];
  private readonly made = new Set<Crossing>();
  private index = 0;
  /** How many were made since one was due last. */
  private madeSince = 0;

  private constructor(calls: readonly Crossing[], timeline: RecordedTimeline) {
    const starts = calls.map((crossing) => ({ crossing, startUs: timeline.startUs(crossing) }));
    const before = starts.filter(({ startUs }) => startUs < RUN_BEGINS_US);
    this.calls = [
      ...before.sort((left, right) => left.startUs - right.startUs),
      { crossing: undefined, startUs: RUN_BEGINS_US },
    ];
  }

  /** Those of a set-up; undefined where no timer made any of them, as far as one can tell. */
  static of(setUp: SetUp | undefined, timeline: RecordedTimeline): SetUpToCome | undefined {
    const calls =
      setUp?.crossings.filter((crossing) => crossing.parentSpanId === setUp.spanId && !isMessageOfProcess(crossing)) ??
      [];
    return isPolling(calls) ? new SetUpToCome(calls, timeline) : undefined;
  }

  /** A call was made, which may be one of them. */
  wasMade(crossing: Crossing): void {
    this.made.add(crossing);
    this.madeSince += 1;
  }

  /** When the next one began that was not made yet, microseconds of the run's time; undefined: none is to come. */
  get nextUs(): number | undefined {
    for (; ; this.index += 1) {
      const next = this.calls[this.index];
      if (next?.crossing === undefined || !this.made.has(next.crossing)) return next?.startUs;
    }
  }

  /** Whether none was made since one was due, or since the process began. */
  get isAwaited(): boolean {
    return this.madeSince === 0;
  }

  /** The next one is due now; the one behind it is the next then. */
  isDue(): void {
    this.index += 1;
    this.madeSince = 0;
  }
}
