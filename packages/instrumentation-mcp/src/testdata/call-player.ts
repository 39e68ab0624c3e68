import type { Answer, Arrival, Position, Release } from '@reenact/instrumentation';
import { TapePlayer } from '@reenact/instrumentation/testing';
import type { Crossing } from '@reenact/trace-model';

/** Lets stubs settle one after the other, in the order in which the recorded calls did. */
class RecordedOrder {
  private readonly order: Crossing[];
  private readonly waiting = new Map<Crossing, () => void>();

  constructor(crossings: readonly Crossing[]) {
    this.order = [...crossings].sort((left, right) => (left.settled ?? 0) - (right.settled ?? 0));
  }

  of(recorded: Crossing): Release {
    const settle = async (): Promise<undefined> => {
      const turn = new Promise<void>((resolve) => this.waiting.set(recorded, resolve));
      this.advance();
      await turn;
      return undefined;
    };
    return { at: async () => undefined, settle };
  }

  /** What runs live settles when it does. */
  leaveOut(recorded: Crossing): void {
    this.order.splice(this.order.indexOf(recorded), 1);
    this.advance();
  }

  private advance(): void {
    const [due] = this.order;
    const resume = due === undefined ? undefined : this.waiting.get(due);
    if (resume === undefined) return;
    this.order.shift();
    resume();
    // The next one when everything that follows from this one has happened.
    setImmediate(() => this.advance());
  }
}

/** Serves recorded crossings, which settle in the recorded order, and signs positions in its own way. */
export class CallPlayer extends TapePlayer {
  private readonly order: RecordedOrder;

  constructor(crossings: readonly Crossing[]) {
    const order = new RecordedOrder(crossings);
    super(crossings, (recorded) => order.of(recorded));
    this.order = order;
  }

  override answer(arrival: Arrival): Answer {
    const answer = super.answer(arrival);
    if (answer.type === 'run' && answer.recorded !== undefined) this.order.leaveOut(answer.recorded);
    return answer;
  }

  positionToken({ cursor }: Position): string {
    return `token-of-${cursor}`;
  }
}
