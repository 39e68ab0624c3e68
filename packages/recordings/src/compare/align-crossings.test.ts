import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildRecording, type CrossingPlan } from '../testdata/recording-builder.ts';
import { alignCrossings } from './align-crossings.ts';
import { type ComparableCrossing, comparableTree } from './comparable-crossing.ts';

function siblings(plans: readonly CrossingPlan[]): readonly ComparableCrossing[] {
  const recording = buildRecording({ label: 'agent:root', children: plans });
  return comparableTree(recording, recording.roots[0]?.spanId ?? '', false)?.root.children ?? [];
}

function tool(input: unknown, more: Partial<CrossingPlan> = {}): CrossingPlan {
  return { label: 'tool:search', input: [input], output: 'found', ...more };
}

/** `left=right` for a pair, `left-` and `+right` for what stands alone, by index. */
function alignment(left: readonly CrossingPlan[], right: readonly CrossingPlan[]): string {
  const { steps } = alignCrossings(siblings(left), siblings(right));
  return steps
    .map((step) => {
      if (step.right === undefined) return `${step.left}-`;
      return step.left === undefined ? `+${step.right}` : `${step.left}=${step.right}`;
    })
    .join(' ');
}

describe('an alignment', () => {
  it('pairs the most alike inputs where a step was added before a changed one', () => {
    const asked = (question: string): CrossingPlan => tool({ question });
    const left = [asked('weather in Lisbon tomorrow afternoon')];
    const right = [asked('capital of Mongolia'), asked('weather in Lisbon tomorrow morning')];
    expect(alignment(left, right)).toBe('+0 0=1');
    expect(alignment(left, right.toReversed())).toBe('0=0 +1');
  });

  it('pairs by tool call id before inputs, and by input before outcome', () => {
    const call = (id: string, input: string): CrossingPlan => tool(input, { toolCallId: id });
    expect(alignment([call('call_1', 'a')], [call('call_0', 'a b'), call('call_1', 'x')])).toBe('+0 0=1');
    expect(alignment([tool('a')], [tool('b'), tool('a', { output: 'other' })])).toBe('+0 0=1');
  });

  it('never pairs crossings of another name', () => {
    expect(alignment([tool('a')], [{ ...tool('a'), label: 'tool:find' }])).toMatch(/^(0- \+0|\+0 0-)$/);
  });

  it('is mirrored when the lists are swapped', () => {
    const plans = fc.array(
      fc.constantFrom('a', 'b', 'c', 'd e', 'd f').map((input) => tool(input)),
      { maxLength: 9 },
    );
    fc.assert(
      fc.property(plans, plans, (first, second) => {
        const pairs = (left: CrossingPlan[], right: CrossingPlan[]): [number, number][] =>
          alignCrossings(siblings(left), siblings(right)).steps.flatMap((step): [number, number][] =>
            step.left === undefined || step.right === undefined ? [] : [[step.left, step.right]],
          );
        expect(pairs(second, first).map(([left, right]) => [right, left])).toEqual(pairs(first, second));
      }),
      { numRuns: 300 },
    );
  });
});

function timed(
  left: readonly CrossingPlan[],
  right: readonly CrossingPlan[],
): { ms: number; result: ReturnType<typeof alignCrossings> } {
  const [first, second] = [siblings(left), siblings(right)];
  // Of the processor, and not of the wall: what else the machine does must not decide.
  const before = process.cpuUsage();
  const result = alignCrossings(first, second);
  const { user, system } = process.cpuUsage(before);
  return { ms: (user + system) / 1_000, result };
}

describe('5,000 siblings', () => {
  const long = Array.from({ length: 5_000 }, (_, index) => tool({ index, text: `question ${index % 50}` }));

  it('with scattered changes, insertions and removals are aligned exactly, in under a second', () => {
    const changed = long.flatMap((plan, index) => {
      if (index % 250 === 100) return [];
      if (index % 250 === 50) return [{ ...plan, output: 'changed' }];
      return index % 250 === 200 ? [tool({ added: index }), plan] : [plan];
    });
    const { ms, result } = timed(long, changed);
    expect(ms).toBeLessThan(1_000);
    expect(result.isOptimal).toBe(false);
    const alone = result.steps.filter(({ left, right }) => left === undefined || right === undefined);
    expect(alone).toHaveLength(40);
    expect(alone.every(({ left }) => left === undefined || left % 250 === 100)).toBe(true);
  });

  it('with nothing in common take a band, under a second, and say so', () => {
    const other = long.map((_, index) => tool({ other: index, text: `answer ${index % 70}` }));
    const { ms, result } = timed(long, other);
    expect(ms).toBeLessThan(1_000);
    expect(result.isOptimal).toBe(false);
    expect(result.steps).toHaveLength(5_000);
  });

  it('against a much longer list stay within the band', () => {
    const { result } = timed(
      long.slice(0, 300),
      Array.from({ length: 6_000 }, (_, index) => tool({ other: index })),
    );
    expect(result.steps.filter(({ left }) => left !== undefined)).toHaveLength(300);
    expect(result.steps).toHaveLength(6_000);
  });

  it('with one inserted need no band', () => {
    const { result } = timed(long, long.toSpliced(2_500, 0, tool('one more')));
    expect(result).toMatchObject({ isOptimal: true });
    expect(result.steps.filter(({ left }) => left === undefined)).toEqual([{ right: 2_500 }]);
  });
});
