import { type Answer, type Arrival, installDedicatedPlayer, type Player, type Release } from '@reenact/instrumentation';
import { type CallShape, type Crossing, ReenactError } from '@reenact/trace-model';

const released: Release = { at: async () => undefined, settle: async () => undefined };

/** Serves recorded crossings by kind, name, equal input, then start order: as little as a replay can do. */
export class ExchangePlayer implements Player {
  readonly replayId = 'replay-1';
  readonly dedicated = true;
  readonly arrivals: Arrival[] = [];
  readonly exhaustions: string[] = [];
  readonly live = new Set<string>();
  private readonly crossings: Crossing[];
  private readonly releaseOf: (recorded: Crossing) => Release;

  constructor(crossings: readonly Crossing[], releaseOf: (recorded: Crossing) => Release = () => released) {
    this.crossings = [...crossings].sort((left, right) => left.order - right.order);
    this.releaseOf = releaseOf;
  }

  answer(arrival: Arrival): Answer {
    this.arrivals.push(arrival);
    const { kind, name } = arrival.boundary;
    const candidates = this.crossings.filter((crossing) => crossing.kind === kind && crossing.name === name);
    const equal = candidates.find(({ input }) => input?.data === arrival.input.payload.data);
    const index = this.crossings.findIndex((crossing) => crossing === (equal ?? candidates[0]));
    const [recorded] = index < 0 ? [] : this.crossings.splice(index, 1);
    if (recorded === undefined) {
      return { type: 'refuse', error: new ReenactError('replay-refused', `${kind}:${name} was never recorded`) };
    }
    const position = { player: this, cursor: recorded.spanId };
    if (this.live.has(name)) return { type: 'run', mode: 'live', recorded, position, settled: () => undefined };
    const exhausted = (detail: string): ReenactError => {
      this.exhaustions.push(detail);
      return new ReenactError('replay-refused', detail);
    };
    return { type: 'stub', recorded, release: this.releaseOf(recorded), position, exhausted };
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
