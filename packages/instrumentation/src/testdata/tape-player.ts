import { type CallShape, type Crossing, ReenactError } from '@reenact/trace-model';
import type { Answer, Arrival, LiveOutcome, Player, Release } from '../index.ts';

const released: Release = { at: async () => {}, settle: async () => {} };

/** A player that serves recorded crossings by kind and name in start order, as little as a replay can do. */
export class TapePlayer implements Player {
  readonly replayId = 'replay-1';
  readonly dedicated = true;
  readonly arrivals: Arrival[] = [];
  readonly outcomes: LiveOutcome[] = [];
  readonly refusals: string[] = [];
  readonly live = new Set<string>();
  private readonly crossings: Crossing[];
  private readonly release: Release;

  constructor(crossings: readonly Crossing[], release: Release = released) {
    this.crossings = [...crossings].sort((left, right) => left.order - right.order);
    this.release = release;
  }

  answer(arrival: Arrival): Answer {
    this.arrivals.push(arrival);
    const { kind, name } = arrival.boundary;
    const cursor = arrival.position?.cursor;
    const index = this.crossings.findIndex(
      (crossing) => crossing.kind === kind && crossing.name === name && crossing.parentSpanId === cursor,
    );
    const [recorded] = index < 0 ? [] : this.crossings.splice(index, 1);
    if (recorded === undefined) {
      return { type: 'refuse', error: this.refusal(`${kind}:${name} was never recorded here`) };
    }
    const position = { player: this, cursor: recorded.spanId };
    if (kind === 'agent' || this.live.has(name)) {
      const mode = kind === 'agent' ? 'rerun' : 'live';
      return { type: 'run', mode, recorded, position, settled: (outcome) => this.outcomes.push(outcome) };
    }
    const exhausted = (detail: string): ReenactError => this.refusal(detail);
    return { type: 'stub', recorded, release: this.release, position, exhausted };
  }

  readonly callShapeOf = (recorded: Crossing): CallShape => recorded.call;

  private refusal(message: string): ReenactError {
    this.refusals.push(message);
    return new ReenactError('replay-refused', message);
  }
}
