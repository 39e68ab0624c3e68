import { type Answer, type Arrival, installDedicatedPlayer, type Player, type Release } from '@reenact/instrumentation';
import { type CallShape, type Crossing, ReenactError } from '@reenact/trace-model';

/** Lets stubs settle one after the other, in the order in which the recorded calls did. */
class RecordedOrder {
  private readonly order: Crossing[];
  private readonly waiting = new Map<Crossing, () => void>();

  constructor(crossings: readonly Crossing[]) {
    this.order = [...crossings].sort((left, right) => (left.settled ?? 0) - (right.settled ?? 0));
  }

  of(recorded: Crossing): Release {
    const settle = async (): Promise<void> => {
      const turn = new Promise<void>((resolve) => this.waiting.set(recorded, resolve));
      this.advance();
      await turn;
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

/** Serves recorded crossings by kind, name and equal input, then start order: as little as a replay can do. */
export class CallPlayer implements Player {
  readonly replayId = 'replay-1';
  readonly dedicated = true;
  readonly arrivals: Arrival[] = [];
  readonly refusals: string[] = [];
  readonly live = new Set<string>();
  private readonly crossings: Crossing[];
  private readonly order: RecordedOrder;

  constructor(crossings: readonly Crossing[]) {
    this.crossings = [...crossings].sort((left, right) => left.order - right.order);
    this.order = new RecordedOrder(crossings);
  }

  answer(arrival: Arrival): Answer {
    this.arrivals.push(arrival);
    const { kind, name } = arrival.boundary;
    const candidates = this.crossings.filter((crossing) => crossing.kind === kind && crossing.name === name);
    const equal = candidates.find(({ input }) => input?.data === arrival.input.payload.data);
    const index = this.crossings.findIndex((crossing) => crossing === (equal ?? candidates[0]));
    const [recorded] = index < 0 ? [] : this.crossings.splice(index, 1);
    if (recorded === undefined) {
      this.refusals.push(`${kind}:${name}`);
      return { type: 'refuse', error: new ReenactError('replay-refused', `${kind}:${name} was never recorded`) };
    }
    const position = { player: this, cursor: recorded.spanId };
    if (this.live.has(name)) {
      this.order.leaveOut(recorded);
      return { type: 'run', mode: 'live', recorded, position, settled: () => undefined };
    }
    const exhausted = (detail: string): ReenactError => new ReenactError('replay-refused', detail);
    return { type: 'stub', recorded, release: this.order.of(recorded), position, exhausted };
  }

  positionToken({ cursor }: { readonly cursor: string | undefined }): string {
    return `token-of-${cursor}`;
  }

  readonly callShapeOf = (recorded: Crossing): CallShape => recorded.call;

  /** Runs `act` inside the replay. */
  async during<Result>(act: () => Result): Promise<Awaited<Result>> {
    const uninstall = installDedicatedPlayer(this);
    try {
      return await act();
    } finally {
      uninstall();
    }
  }
}
