import type { Crossing, Outcome } from '@reenact/trace-model';
import { exchangesSchema } from '@reenact/trace-model/reading';
import { type CrossingFacts, gate, type Recorder } from '../index.ts';

function outcomeOf({ outcome, outlivesRun }: CrossingFacts): Outcome {
  if (outlivesRun === 'satisfied') return { type: 'returned' };
  const { type, value, error, reader } = outcome;
  const values = {
    ...(value === undefined ? {} : { value: value.payload }),
    ...(error === undefined ? {} : { error: error.payload }),
  };
  switch (type) {
    case 'pending':
      return { type };
    case 'returned':
    case 'threw':
      return { type, ...values };
    case 'ended':
    case 'failed':
    case 'aborted':
      return {
        type,
        chunks: (outcome.chunks ?? []).map(({ offsetUs, value: chunk }) => ({ offsetUs, value: chunk.payload })),
        ...values,
        ...(reader === undefined ? {} : { reader }),
      };
  }
}

/** The crossing that was recorded; its exchanges have been to JSON and back, as in a fixture. */
export function crossingOf(facts: CrossingFacts): Crossing {
  const { boundary, spanContext, startTime, endTime, call, order, settled } = facts;
  return {
    traceId: spanContext.traceId,
    spanId: spanContext.spanId,
    ...(facts.parentCrossing === undefined ? {} : { parentSpanId: facts.parentCrossing }),
    kind: boundary.kind,
    name: boundary.name,
    path: `${boundary.kind}:${boundary.name}`,
    order,
    ...(settled === undefined ? {} : { settled }),
    ...(facts.outlivesRun === undefined ? {} : { outlivesRun: facts.outlivesRun }),
    call,
    effect: boundary.effect,
    capture: boundary.capture,
    canonicalPolicy: boundary.policy.name,
    ...(facts.input === undefined ? {} : { input: facts.input.payload }),
    outcome: outcomeOf(facts),
    exchanges: exchangesSchema.parse(JSON.parse(JSON.stringify(facts.exchanges))),
    startTimeUnixNano: BigInt(startTime[0]) * 1_000_000_000n + BigInt(startTime[1]),
    endTimeUnixNano: BigInt(endTime[0]) * 1_000_000_000n + BigInt(endTime[1]),
    lossy: facts.lossy,
    redacted: [],
    dialect: 'reenact',
    attributes: new Map(),
    damage: [],
  };
}

/** Takes what the real gate records, in the order in which the crossings settled. */
export class RecordedCalls implements Recorder {
  readonly facts: CrossingFacts[] = [];
  private waiting: (() => void)[] = [];

  record(facts: CrossingFacts): void {
    this.facts.push(facts);
    for (const resume of this.waiting.splice(0)) resume();
  }

  /** Resolves when so many crossings have settled. */
  async settled(count: number): Promise<void> {
    while (this.facts.length < count) {
      await new Promise<void>((resolve) => {
        this.waiting.push(resolve);
      });
    }
  }

  /** The one crossing there is. */
  get only(): CrossingFacts {
    const [facts] = this.facts;
    if (facts === undefined || this.facts.length > 1) throw new TypeError(`${this.facts.length} crossings settled`);
    return facts;
  }

  crossings(): Crossing[] {
    return this.facts.map(crossingOf);
  }

  /** Makes the process's gate record here. Returns how to stop. */
  attach(): () => void {
    gate.configure({ recorder: this });
    return () => gate.detach(this);
  }
}
