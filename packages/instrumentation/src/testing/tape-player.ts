import {
  type CallShape,
  type Crossing,
  canonicalKey,
  canonicalPolicy,
  isDelivery,
  ReenactError,
  runsAgain,
} from '@reenact/trace-model';
import {
  type Answer,
  type Arrival,
  type BegunCall,
  installDedicatedPlayer,
  type LiveOutcome,
  type Player,
  type Position,
  type Release,
} from '../index.ts';

/** What is due later is so after what this turn of the event loop has brought. */
const aTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const released: Release = { at: async () => undefined, settle: async () => undefined };

function keyOf(policyName: string, input: Crossing['input']): string | undefined {
  const policy = canonicalPolicy(policyName);
  return policy === undefined || input === undefined ? undefined : canonicalKey(policy, input);
}

/** Serves recorded crossings by kind, name, parent, equal canonical input, then start order: as little as a replay can do. */
export class TapePlayer implements Player {
  readonly replayId = 'replay-1';
  readonly dedicated = true;
  readonly arrivals: Arrival[] = [];
  /** Names of calls that had begun before all of them was known. */
  readonly begunNames: string[] = [];
  /** Names of crossings whose input was not the recorded one. */
  readonly changed: string[] = [];
  /** What it refused: crossings nobody recorded, and more than was recorded of one. */
  readonly refusals: string[] = [];
  readonly outcomes: LiveOutcome[] = [];
  /** Names of crossings that run for real. */
  readonly live = new Set<string>();
  private readonly crossings: Crossing[];
  private readonly releaseOf: (recorded: Crossing) => Release;

  constructor(crossings: readonly Crossing[], releaseOf: (recorded: Crossing) => Release = () => released) {
    this.crossings = [...crossings].sort((left, right) => left.order - right.order);
    this.releaseOf = releaseOf;
  }

  /** Crossings nobody has asked for. */
  get left(): string[] {
    return this.crossings.map(({ name }) => name);
  }

  answer(arrival: Arrival): Answer {
    this.arrivals.push(arrival);
    const { kind, name } = arrival.boundary;
    const recorded = this.take(arrival);
    if (recorded === undefined) {
      return { type: 'refuse', error: this.refusal(`${kind}:${name} was never recorded here`) };
    }
    const position = { player: this, cursor: recorded.spanId };
    const isRerun = runsAgain(recorded);
    if (isRerun || this.live.has(name)) {
      const mode = isRerun ? 'rerun' : 'live';
      return { type: 'run', mode, recorded, position, settled: (outcome) => this.outcomes.push(outcome) };
    }
    const exhausted = (detail: string): ReenactError => this.refusal(detail);
    const deliveries = this.crossings
      .filter((crossing) => crossing.parentSpanId === recorded.spanId && isDelivery(crossing))
      .map((crossing) => ({
        recorded: crossing,
        offsetUs: 0,
        due: aTurn,
        isWaitedFor: true,
        isBehind: crossing.startTimeUnixNano >= recorded.endTimeUnixNano,
      }));
    return { type: 'stub', recorded, release: this.releaseOf(recorded), position, deliveries, exhausted };
  }

  begun({ boundary: { kind, name } }: BegunCall): Position | undefined {
    this.begunNames.push(name);
    const recorded = this.crossings.find((crossing) => crossing.kind === kind && crossing.name === name);
    return recorded && { player: this, cursor: recorded.spanId };
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

  private take({ boundary, input, position }: Arrival): Crossing | undefined {
    const { kind, name, policy } = boundary;
    const candidates = this.crossings.filter(
      (crossing) => crossing.kind === kind && crossing.name === name && crossing.parentSpanId === position?.cursor,
    );
    const key = keyOf(policy.name, input.payload);
    const equal = candidates.find((crossing) => keyOf(crossing.canonicalPolicy, crossing.input) === key);
    const recorded = equal ?? candidates[0];
    if (recorded === undefined) return undefined;
    if (equal === undefined) this.changed.push(name);
    this.crossings.splice(this.crossings.indexOf(recorded), 1);
    return recorded;
  }

  private refusal(message: string): ReenactError {
    this.refusals.push(message);
    return new ReenactError('replay-refused', message);
  }
}
