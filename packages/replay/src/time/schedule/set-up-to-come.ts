import type { RecordedTimeline } from '@reenact/recordings';
import { type Crossing, isMessageOfProcess, type SetUp } from '@reenact/trace-model';
import { isPolling } from '../../recorded/is-polling.ts';

/** How long before a run begins what is due by then is over, microseconds. */
const BEGINS_US = 1;

interface CallToCome {
  /** Undefined: the beginning of the run itself, or of another that a request enters before it. */
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

  private constructor(calls: readonly Crossing[], requests: readonly Crossing[], timeline: RecordedTimeline) {
    const starts = calls.map((crossing) => ({ crossing, startUs: timeline.startUs(crossing) }));
    const begins = requests.map((root) => ({ crossing: undefined, startUs: timeline.startUs(root) - BEGINS_US }));
    const before = [...starts, ...begins].filter(({ startUs }) => startUs < -BEGINS_US);
    this.calls = [
      ...before.sort((left, right) => left.startUs - right.startUs),
      { crossing: undefined, startUs: -BEGINS_US },
    ];
  }

  /** Those of a set-up, and the requests that are replayed before the run; undefined where no timer made any call, as far as one can tell. */
  static of(
    setUp: SetUp | undefined,
    timeline: RecordedTimeline,
    requests: readonly Crossing[] = [],
  ): SetUpToCome | undefined {
    const calls =
      setUp?.crossings.filter((crossing) => crossing.parentSpanId === setUp.spanId && !isMessageOfProcess(crossing)) ??
      [];
    return isPolling(calls) ? new SetUpToCome(calls, requests, timeline) : undefined;
  }

  /** A call was made, which may be one of them. */
  wasMade(crossing: Crossing): void {
    this.made.add(crossing);
    this.madeSince += 1;
  }

  /** When the next one began that was not made yet, or the next run begins, microseconds of the run's time; undefined: none is to come. */
  get nextUs(): number | undefined {
    for (; ; this.index += 1) {
      const next = this.calls[this.index];
      if (next?.crossing === undefined || !this.made.has(next.crossing)) return next?.startUs;
    }
  }

  /** Whether all were made, or passed, that are to come before the run. */
  get isRunNext(): boolean {
    return (this.nextUs ?? -BEGINS_US) >= -BEGINS_US;
  }

  /** Whether one is to come that began before this time. */
  hasCallBefore(timeUs: number): boolean {
    const isToCome = ({ crossing, startUs }: CallToCome): boolean =>
      crossing !== undefined && startUs < timeUs && !this.made.has(crossing);
    return this.calls.slice(this.index).some(isToCome);
  }

  /** Whether none was made since one was due, or since the process began. */
  get isAwaited(): boolean {
    return this.madeSince === 0;
  }

  /** The next one is due now; the one behind it is the next then. */
  isDue(): void {
    // No timer begins a request.
    this.madeSince = this.calls[this.index]?.crossing === undefined ? 1 : 0;
    this.index += 1;
  }
}
