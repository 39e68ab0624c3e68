import { buildRecording, type CrossingPlan } from '@reenact/recordings/testing';
import { registerValueClass } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import { callEntry } from './call-entry.ts';
import { recordedInput } from './recorded-input.ts';

// Known to the whole process, which other suites share, by a name that none of them has.
class KnownOrder {
  readonly shares: number;

  constructor(shares: number) {
    this.shares = shares;
  }
}

function crossingOf(plan: Omit<CrossingPlan, 'label'>) {
  const [crossing] = buildRecording({ label: 'tool:place', ...plan }).crossings;
  if (crossing === undefined) throw new TypeError('nothing was built');
  return crossing;
}

describe('the recorded input', () => {
  it('comes back as values of its own, registered classes as instances', () => {
    registerValueClass(KnownOrder);
    const crossing = crossingOf({ input: [new KnownOrder(7), new Date(0), new Map([['a', 1n]]), undefined] });
    const { parameters, notes } = recordedInput(crossing);
    expect(parameters).toEqual([new KnownOrder(7), new Date(0), new Map([['a', 1n]]), undefined]);
    expect(parameters[0]).toBeInstanceOf(KnownOrder);
    expect(recordedInput(crossing).parameters[0]).not.toBe(parameters[0]);
    expect(notes).toEqual([]);
  });

  it('has functions that do nothing and keep their names, and says where', () => {
    const onText = (): never => {
      throw new TypeError('the recorded function ran');
    };
    const crossing = crossingOf({ input: [{ onText }], lossy: ['/input/0/onText function', '/output function'] });
    const { parameters, notes } = recordedInput(crossing);
    const [first] = parameters as [{ onText: (text: string) => unknown }];
    expect(first.onText('x')).toBeUndefined();
    expect(first.onText.name).toBe('onText');
    expect(notes).toEqual([expect.stringMatching(/do nothing: \/0\/onText\.$/)]);
  });

  it('says what came back without its class, and what redaction cut', () => {
    const crossing = crossingOf({
      input: [{ a: 1 }, 'x'],
      lossy: ['/input/0 class Secret'],
      redacted: ['/input/1', '/output/1'],
    });
    expect(recordedInput(crossing).notes).toEqual([
      expect.stringMatching(/came back without: \/0 class Secret\.$/),
      expect.stringMatching(/redacted at \/1\.$/),
    ]);
  });

  it('is refused where it was not kept, or is no list of arguments', () => {
    const thrownBy = (plan: Omit<CrossingPlan, 'label'>): unknown => {
      try {
        return recordedInput(crossingOf(plan));
      } catch (error) {
        return error;
      }
    };
    expect(thrownBy({ without: ['reenact.input', 'reenact.input.format', 'reenact.input.digest'] })).toMatchObject({
      code: 'cold-case',
    });
    expect(thrownBy({ input: { model: 'gpt' } })).toMatchObject({ code: 'unsupported' });
  });
});

describe('calling an entry', () => {
  async function* count(): AsyncGenerator<number> {
    try {
      for (let index = 1; ; index += 1) yield index;
    } finally {
      closed += 1;
    }
  }
  let closed = 0;

  it('reads a stream that was abandoned only as far as it was read, and closes it', async () => {
    const chunks = [[1, 1] as const, [2, 2] as const];
    const crossing = crossingOf({ chunks, outcome: 'aborted', call: 'async-iterable' });
    expect(await callEntry(count, crossing, [])).toEqual([1, 2]);
    expect(closed).toBe(1);
  });

  it('reads a whole stream, asynchronous or not, and one behind a promise', async () => {
    const crossing = crossingOf({ chunks: [[1, 'a']], call: 'iterable' });
    expect(await callEntry(() => new Set(['a', 'b']), crossing, [])).toEqual(['a', 'b']);
    expect(await callEntry(async () => new Set(['c']), crossing, [])).toEqual(['c']);
  });

  it('hands the arguments over and gives back what is returned, also an array that was no stream', async () => {
    const crossing = crossingOf({ input: [2, 3], output: [6] });
    expect(await callEntry((a: number, b: number) => [a * b], crossing, [2, 3])).toEqual([6]);
  });
});
