import { setImmediate as turn } from 'node:timers/promises';
import { trace } from '@opentelemetry/api';
import { agent, tool } from 'reenact';

/** One crossing whose result the agent had. */
export interface Witness {
  readonly traceId: string;
  readonly spanId: string;
  readonly id: number;
  /** Length of the text that came back. */
  readonly characters: number;
}

/** What one run is asked to do; all that it does follows from it. */
export interface RunRequest {
  /** Id of its first call. */
  readonly first: number;
  readonly seed: number;
}

/** Calls of one run, and so how far apart the ids of two runs begin. */
export const RUN_STEPS = 25;

interface Asked {
  readonly id: number;
  readonly size: number;
}

interface Answered {
  readonly id: number;
  readonly text: string;
}

/** The text that a call of this id and size gives. */
export function textOf(id: number, characters: number): string {
  return String(id % 10).repeat(characters);
}

let spanId = '';

function answer({ id, size }: Asked): Answered {
  spanId = trace.getActiveSpan()?.spanContext().spanId ?? '';
  return { id, text: textOf(id, size) };
}

const atOnce = tool('at_once', (asked: Asked) => answer(asked), { effect: 'none' });
const later = tool('later', async (asked: Asked) => {
  const result = answer(asked);
  if (asked.id % 3 === 0) await turn();
  return result;
});

/** Numbers that follow from a seed alone. */
class Dice {
  private state: number;

  constructor(seed: number) {
    this.state = seed;
  }

  /** The next one, below `limit`. */
  roll(limit: number): number {
    this.state = (Math.imul(this.state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.state / 2 ** 32) * limit);
  }

  size(): number {
    const kind = this.roll(20);
    if (kind === 0) return 40_000 + this.roll(20_000);
    return kind === 1 ? 70_000 + this.roll(400_000) : this.roll(2_000);
  }
}

/** A run that tells `witnessed` of each call when it has the result, and gives the seed of the next run. */
export function makeRun(
  witnessed: (witness: Witness, answered: Answered) => void,
): (request: RunRequest) => Promise<number> {
  return agent('run', async ({ first, seed }: RunRequest) => {
    const dice = new Dice(seed);
    const { traceId = '' } = trace.getActiveSpan()?.spanContext() ?? {};
    for (let step = 0; step < RUN_STEPS; step += 1) {
      const asked = { id: first + step, size: dice.size() };
      const answered = dice.roll(2) === 0 ? atOnce(asked) : await later(asked);
      witnessed({ traceId, spanId, id: answered.id, characters: answered.text.length }, answered);
    }
    return dice.roll(2 ** 31);
  });
}
