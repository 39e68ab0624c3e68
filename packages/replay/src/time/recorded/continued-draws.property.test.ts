import { buildRecording } from '@reenact/recordings/testing';
import type { LateDraws, RecordedDraws, Recording } from '@reenact/trace-model';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drawAttributes } from '../../testdata/virtual-run.ts';
import { ServedDraws } from './served-draws.ts';

type Draw =
  | { readonly name: 'Date.now'; readonly value: number }
  | { readonly name: 'performance.now'; readonly value: number }
  | { readonly name: 'crypto.randomUUID'; readonly value: string };

const draw: fc.Arbitrary<Draw> = fc.oneof(
  fc.record({
    name: fc.constant('Date.now' as const),
    value: fc.integer({ min: 1_790_000_000_000, max: 1_790_000_000_003 }),
  }),
  fc.record({ name: fc.constant('performance.now' as const), value: fc.integer({ min: 0, max: 9_000_000 }) }),
  fc.record({ name: fc.constant('crypto.randomUUID' as const), value: fc.uuid() }),
);

function numbersOf(draws: readonly Draw[], name: 'Date.now' | 'performance.now'): number[] {
  return draws.flatMap((one) => (one.name === name ? [one.value] : []));
}

function idsOf(draws: readonly Draw[]): string[] {
  return draws.flatMap((one) => (one.name === 'crypto.randomUUID' ? [one.value] : []));
}

/** As a tape keeps them. */
function taped(draws: readonly Draw[]): RecordedDraws {
  const pairs: number[] = [];
  let latestMs = 0;
  for (const timeMs of numbersOf(draws, 'Date.now')) {
    if (timeMs === latestMs) pairs.push((pairs.pop() ?? 0) + 1);
    else pairs.push(timeMs - latestMs, 1);
    latestMs = timeMs;
  }
  const ticks = numbersOf(draws, 'performance.now');
  return {
    ...(pairs.length > 0 && { 'Date.now': pairs }),
    ...(ticks.length > 0 && { 'performance.now': ticks.map((tick, index) => tick - (ticks[index - 1] ?? 0)) }),
    'crypto.randomUUID': idsOf(draws),
  };
}

/** A run that drew `own`, and of which its calls carry what came later; `lost`: the call that never arrived. */
function recordingOf(own: readonly Draw[], later: readonly (readonly Draw[])[], lost?: number): Recording {
  const plan = { label: 'agent:drawn', startUs: 0, endUs: 1_000, attributes: drawAttributes(taped(own)) } as const;
  const spanId = buildRecording({ ...plan, children: [] }).roots[0]?.spanId ?? '';
  const carriers = later.map((draws, ordinal) => {
    const late: Record<string, LateDraws[]> = { [spanId]: [{ ...taped(draws), ordinal }] };
    return { label: 'tool:send', startUs: 2_000 + ordinal, attributes: drawAttributes({ late }) } as const;
  });
  // Whichever comes first in a recording: the place says which is which.
  const children = carriers.filter((_, ordinal) => ordinal !== lost).reverse();
  return buildRecording({ ...plan, children });
}

function served(recording: Recording, count: number): (number | string | undefined)[][] {
  const draws = new ServedDraws(recording);
  const spanId = recording.roots[0]?.spanId;
  const row = <Value>(give: () => Value): Value[] => Array.from({ length: count + 2 }, give);
  return [
    row(() => draws.time(spanId, 'Date.now')),
    row(() => draws.tick(spanId, 'performance.now')),
    row(() => draws.value(spanId, 'crypto.randomUUID')),
  ];
}

function expected(draws: readonly Draw[], count: number): (number | string | undefined)[][] {
  const padded = <Value>(values: readonly Value[]): (Value | undefined)[] =>
    Array.from({ length: count + 2 }, (_, index) => values[index]);
  return [padded(numbersOf(draws, 'Date.now')), padded(numbersOf(draws, 'performance.now')), padded(idsOf(draws))];
}

const tapes = fc.tuple(fc.array(draw, { maxLength: 8 }), fc.array(fc.array(draw, { maxLength: 5 }), { maxLength: 5 }));

describe('what a run drew, and went on to draw once it had ended', () => {
  it('is served as one row, wherever it ended and whichever calls carry it', () => {
    fc.assert(
      fc.property(tapes, ([own, later]) => {
        const all = [...own, ...later.flat()];
        expect(served(recordingOf(own, later), all.length)).toEqual(expected(all, all.length));
      }),
    );
  });

  it('ends where a call that carried some of it is missing: what comes behind would stand in its place', () => {
    fc.assert(
      fc.property(tapes, fc.nat(), ([own, later], number) => {
        fc.pre(later.length > 0);
        const lost = number % later.length;
        const until = [...own, ...later.slice(0, lost).flat()];
        const count = own.length + later.flat().length;
        expect(served(recordingOf(own, later, lost), count)).toEqual(expected(until, count));
      }),
    );
  });

  it('has nothing more of a function whose draws were not all kept while it went on', () => {
    const own: Draw[] = [
      { name: 'crypto.randomUUID', value: 'first' },
      { name: 'Date.now', value: 1_790_000_000_000 },
    ];
    const recording = recordingOf(own, [
      [
        { name: 'crypto.randomUUID', value: 'late' },
        { name: 'Date.now', value: 1_790_000_000_009 },
      ],
    ]);
    const [root] = recording.roots;
    if (root === undefined) throw new TypeError('A recording has a root.');
    const lossy = ['/draws/crypto.randomUUID more than 10000 draws or 1048576 characters of them'];
    const bySpanId = new Map(recording.bySpanId).set(root.spanId, { ...root, lossy });
    const draws = new ServedDraws({ ...recording, bySpanId });
    const ids = [0, 1].map(() => draws.value(root.spanId, 'crypto.randomUUID'));
    const times = [0, 1].map(() => draws.time(root.spanId, 'Date.now'));
    expect([ids, times]).toEqual([
      ['first', undefined],
      [1_790_000_000_000, 1_790_000_000_009],
    ]);
  });
});
