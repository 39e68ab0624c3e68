import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildRecording } from '../testdata/recording-builder.ts';
import { recordedTimeline } from './recorded-timeline.ts';

const plans = fc.array(
  fc.record({
    startUs: fc.integer({ min: 0, max: 50 }),
    tookUs: fc.integer({ min: 0, max: 50 }),
    isCounted: fc.boolean(),
  }),
  { maxLength: 12 },
);

describe('the times of a recorded run', () => {
  it('are those of the spans, and ends are never before those that were counted before them', () => {
    fc.assert(
      fc.property(plans, fc.infiniteStream(fc.nat()), (crossings, numbers) => {
        const children = crossings.map(({ startUs, tookUs, isCounted }, index) => {
          const settled = [...numbers.take(1)].map((number) => number * 100 + index)[0] ?? index;
          return { label: 'tool:t', startUs, endUs: startUs + tookUs, ...(isCounted ? { settled } : {}) } as const;
        });
        const recording = buildRecording({ label: 'agent:a', startUs: 0, endUs: 100, children });
        const [root, ...others] = recording.crossings;
        if (root === undefined) throw new TypeError('a recording has a root');
        const timeline = recordedTimeline(root, recording.crossings);
        for (const crossing of others) {
          const endUs = Number(crossing.endTimeUnixNano - root.startTimeUnixNano) / 1_000;
          const before = others.filter(({ settled }) => (settled ?? Number.NaN) <= (crossing.settled ?? Number.NaN));
          const ends = before.map(({ endTimeUnixNano }) => Number(endTimeUnixNano - root.startTimeUnixNano) / 1_000);
          expect(timeline.settledUs(crossing)).toBe(Math.max(endUs, ...ends));
          expect(timeline.startUs(crossing)).toBe(Number(crossing.startTimeUnixNano - root.startTimeUnixNano) / 1_000);
        }
      }),
    );
  });

  it('are told of a crossing that a plan put in the place of another, and read once for one list', () => {
    const recording = buildRecording({ label: 'agent:a', startUs: 0, endUs: 100, children: [{ label: 'tool:t' }] });
    const [root, recorded] = recording.crossings;
    if (root === undefined || recorded === undefined) throw new TypeError('two crossings were built');
    const timeline = recordedTimeline(root, recording.crossings);
    const [, outside] = buildRecording({ label: 'agent:b', children: [{ label: 'tool:u', settled: 7 }] }).crossings;
    if (outside === undefined) throw new TypeError('one was built');
    expect(
      [
        { ...recorded, settled: 7 },
        { ...outside, spanId: 'f'.repeat(16) },
      ].map(timeline.endOrder),
    ).toEqual([7, undefined]);
    const moved = { ...recorded, startTimeUnixNano: root.startTimeUnixNano + 7_000n };
    expect(timeline.startUs(moved)).toBe(7);
    expect(timeline.settledUs({ ...recorded, outcome: { type: 'pending' } })).toBe(Number.POSITIVE_INFINITY);
    expect(recordedTimeline(root, recording.crossings)).toBe(timeline);
    expect(recordedTimeline(recorded, recording.crossings).startUs(recorded)).toBe(0);
  });
});

describe('an event that is no end', () => {
  it('is between the ends that were counted before and after it, whatever a clock said', () => {
    const children = [
      { label: 'tool:a', startUs: 0, endUs: 10, settled: 0 },
      { label: 'tool:b', startUs: 0, endUs: 30, settled: 2 },
    ] as const;
    const { crossings } = buildRecording({ label: 'agent:a', startUs: 0, endUs: 100, settled: 5, children });
    const [root] = crossings;
    if (root === undefined) throw new TypeError('a recording has a root');
    const timeline = recordedTimeline(root, crossings);
    expect([5, 20, 40].map((timeUs) => timeline.eventUs(1, timeUs))).toEqual([10, 20, 30]);
    expect([5, 40, 400].map((timeUs) => timeline.eventUs(3, timeUs))).toEqual([30, 40, 100]);
    expect([5, 400].map((timeUs) => timeline.eventUs(9, timeUs))).toEqual([100, 400]);
  });
});
