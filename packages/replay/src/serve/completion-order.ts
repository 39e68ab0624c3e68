import { pristine } from '@reenact/instrumentation';
import type { RecordedTimeline } from '@reenact/recordings';
import type { Crossing } from '@reenact/trace-model';
import { OVERLAP_WAIT_MS } from '../limits.ts';

interface Ending {
  readonly reached: Promise<void>;
  readonly reach: () => void;
}

function ending(): Ending {
  let reach = (): void => undefined;
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  return { reached, reach };
}

/**
 * Lets answers that were recorded in parallel end in their recorded order, although their requests come one after the
 * other over sockets. An answer waits for those that overlapped it and ended before it, for at most OVERLAP_WAIT_MS: an
 * agent that no longer makes such a call is not held up for ever.
 */
export class CompletionOrder {
  private readonly before = new Map<string, string[]>();
  private readonly endings = new Map<string, Ending>();

  constructor(crossings: readonly Crossing[], timeline: RecordedTimeline) {
    let open: Crossing[] = [];
    for (const crossing of crossings.toSorted((left, right) => timeline.startUs(left) - timeline.startUs(right))) {
      open = open.filter((other) => timeline.settledUs(other) > timeline.startUs(crossing));
      for (const other of open) this.relate(crossing, other, timeline);
      open.push(crossing);
      this.endings.set(crossing.spanId, ending());
    }
  }

  /** Two that overlapped: the one that ended later waits for the other. */
  private relate(left: Crossing, right: Crossing, timeline: RecordedTimeline): void {
    const [leftEndUs, rightEndUs] = [timeline.settledUs(left), timeline.settledUs(right)];
    const isLeftFirst = leftEndUs === rightEndUs ? (left.settled ?? 0) < (right.settled ?? 0) : leftEndUs < rightEndUs;
    const [earlier, later] = isLeftFirst ? [left, right] : [right, left];
    this.before.set(later.spanId, [...(this.before.get(later.spanId) ?? []), earlier.spanId]);
  }

  /** The answer of this crossing has been sent, or its client has gone. */
  ended({ spanId }: Crossing): void {
    this.endings.get(spanId)?.reach();
  }

  /** Resolves when it is this crossing's turn to end; false where what was to end first did not come in time. */
  async turnOf({ spanId }: Crossing): Promise<boolean> {
    const earlier = (this.before.get(spanId) ?? []).map((id) => this.endings.get(id)?.reached);
    if (earlier.length === 0) return true;
    let timer: NodeJS.Timeout | undefined;
    const inTime = Promise.all(earlier).then(() => true);
    const tooLate = new Promise<boolean>((resolve) => {
      timer = pristine.setTimeout(() => resolve(false), OVERLAP_WAIT_MS);
    });
    const isInTime = await Promise.race([inTime, tooLate]);
    clearTimeout(timer);
    return isInTime;
  }
}
