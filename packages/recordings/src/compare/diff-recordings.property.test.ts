import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arbitraryPlan, arbitraryRun, placesBelow, replaceAt } from '../testdata/arbitrary-plan.ts';
import { buildRecording, type CrossingPlan } from '../testdata/recording-builder.ts';
import { diffRecordings } from './diff-recordings.ts';
import type { DiffStep, RecordingDiff } from './recording-diff.ts';

const runs = { numRuns: 300 };

function diff(left: CrossingPlan, right: CrossingPlan): RecordingDiff {
  const side = (plan: CrossingPlan): Parameters<typeof diffRecordings>[0] => {
    const recording = buildRecording(plan);
    return { recording, rootSpanId: recording.roots[0]?.spanId ?? '' };
  };
  return diffRecordings(side(left), side(right));
}

function pick(run: CrossingPlan, choice: number): number[] {
  const places = placesBelow(run);
  return places[choice % places.length] ?? [];
}

function sizeOf(plan: CrossingPlan): number {
  return placesBelow(plan).length + 1;
}

describe('two recordings that differ in one crossing', () => {
  it('differ in nothing when there is no such crossing', () => {
    fc.assert(
      fc.property(arbitraryRun, (run) => {
        const found = diff(run, run);
        expect(found).toMatchObject({ verdict: 'equal', differences: [], differenceTotal: 0, notes: [] });
        expect(found.totals.equal).toBe(sizeOf(run));
      }),
      runs,
    );
  });

  it('differ in exactly the one that was inserted', () => {
    fc.assert(
      fc.property(arbitraryRun, fc.nat(), arbitraryPlan(1), fc.boolean(), (run, choice, added, isBefore) => {
        const changed = replaceAt(run, pick(run, choice), (crossing) =>
          isBefore ? [added, crossing] : [crossing, added],
        );
        const found = diff(run, changed);
        expect(found.differences).toMatchObject([{ status: 'inserted', crossings: sizeOf(added) }]);
        expect(found.totals).toMatchObject({ equal: sizeOf(run), inserted: sizeOf(added), removed: 0, moved: 0 });
      }),
      runs,
    );
  });

  it('differ in exactly the one that was removed', () => {
    fc.assert(
      fc.property(arbitraryRun, fc.nat(), (run, choice) => {
        const gone: CrossingPlan[] = [];
        const changed = replaceAt(run, pick(run, choice), (crossing) => {
          gone.push(crossing);
          return [];
        });
        const [first] = gone;
        const size = first === undefined ? 0 : sizeOf(first);
        expect(diff(run, changed).differences).toMatchObject([{ status: 'removed', crossings: size }]);
      }),
      runs,
    );
  });
});

describe('two recordings with one crossing changed', () => {
  it('differ in exactly its input, at the path', () => {
    fc.assert(
      fc.property(arbitraryRun, fc.nat(), (run, choice) => {
        const changed = replaceAt(run, pick(run, choice), (crossing) => [{ ...crossing, input: ['something else'] }]);
        const found = diff(run, changed);
        expect(found.differences).toMatchObject([{ status: 'input-changed' }]);
        expect(found.differences[0]?.input?.places.at(0)?.path).toMatch(/^\$\[\d\]/);
        expect(found.differences[0]?.left?.path).toBe(found.differences[0]?.right?.path);
      }),
      runs,
    );
  });

  it('differ in exactly its outcome', () => {
    fc.assert(
      fc.property(arbitraryRun, fc.nat(), (run, choice) => {
        const changed = replaceAt(run, pick(run, choice), (crossing) => [{ ...crossing, output: 'something else' }]);
        const found = diff(run, changed);
        expect(found.differences).toMatchObject([
          { status: 'outcome-changed', outcome: { total: expect.any(Number) } },
        ]);
        expect(found.totals).toMatchObject({ equal: sizeOf(run) - 1, 'outcome-changed': 1 });
      }),
      runs,
    );
  });
});

function stepsOf(step: DiffStep): DiffStep[] {
  return [step, ...step.children.flatMap(stepsOf)];
}

/** What was paired with what, whichever side it is looked at from. */
function pairsOf(found: RecordingDiff, isSwapped: boolean): string[] {
  return stepsOf(found.tree)
    .map(({ left, right, moved }) => {
      const [first, second] = isSwapped ? [right, left] : [left, right];
      return `${first?.spanId ?? 'none'} ${second?.spanId ?? 'none'} ${moved ?? false}`;
    })
    .sort();
}

describe('any two recordings', () => {
  it('are aligned in the same way whichever comes first', () => {
    fc.assert(
      fc.property(arbitraryRun, arbitraryRun, (left, right) => {
        expect(pairsOf(diff(left, right), false)).toEqual(pairsOf(diff(right, left), true));
      }),
      runs,
    );
  });

  it('account for every crossing of both, once', () => {
    fc.assert(
      fc.property(arbitraryRun, arbitraryRun, (left, right) => {
        const { tree } = diff(left, right);
        const ids = (side: 'left' | 'right'): string[] => stepsOf(tree).flatMap((step) => step[side]?.spanId ?? []);
        for (const [side, plan] of [
          ['left', left],
          ['right', right],
        ] as const) {
          expect(ids(side)).toHaveLength(sizeOf(plan));
          expect(new Set(ids(side)).size).toBe(sizeOf(plan));
        }
      }),
      runs,
    );
  });
});
