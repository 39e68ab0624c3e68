import { fromMap, type PlainValue, type Span, type TracesData } from '@reenact/otlp';
import { type Crossing, digestOf, type SetUp } from '@reenact/trace-model';
import { setUpLinkOf } from '@reenact/trace-model/reading';
import { describe, expect, it } from 'vitest';
import { assembleRecording } from './assemble-recording.ts';
import { setUpTelemetry } from './assemble-set-ups.ts';
import {
  AFTERWARDS_CROSSINGS_MAX,
  AFTERWARDS_REPEATS_MAX,
  BESIDE_CROSSINGS_MAX,
  BESIDE_REPEATS_MAX,
  SET_UP_CROSSINGS_MAX,
  SET_UP_REPEATS_MAX,
} from './limits.ts';

const runTrace = 'a'.repeat(32);
const processTrace = 'b'.repeat(32);
const processRun = 'b'.repeat(16);
const rootSpan = 'a'.repeat(16);
const rootStart = 5_000;

interface CallFacts {
  readonly id: number;
  readonly order?: number;
  readonly input?: string;
  readonly parent?: string;
  readonly start?: number;
  readonly attributes?: Record<string, PlainValue>;
}

/** A call directly inside the run of the process, unless another parent is named. */
function call({ id, order = id, input = '[]', parent = processRun, start = id, attributes = {} }: CallFacts): Span {
  return {
    traceId: processTrace,
    spanId: id.toString(16).padStart(16, '0'),
    parentSpanId: parent,
    name: 'call',
    startTimeUnixNano: String(start),
    endTimeUnixNano: String(start + 1),
    attributes: fromMap(
      Object.entries({
        'reenact.schema': '1',
        'reenact.boundary': 'tool',
        'reenact.name': 'read',
        'reenact.parent': parent,
        'reenact.order': order,
        'reenact.outcome': 'returned',
        'reenact.input': input,
        'reenact.input.digest': digestOf(input),
        ...attributes,
      }),
    ),
  };
}

function root(count: number): Span {
  const link = { traceId: processTrace, spanId: processRun, attributes: fromMap([['reenact.process.set_up', count]]) };
  const boundary: [string, PlainValue][] = [
    ['reenact.schema', '1'],
    ['reenact.boundary', 'agent'],
    ['reenact.name', 'desk'],
    ['reenact.outcome', 'returned'],
  ];
  return {
    traceId: runTrace,
    spanId: rootSpan,
    name: 'desk',
    startTimeUnixNano: String(rootStart),
    endTimeUnixNano: String(rootStart + 9),
    attributes: fromMap(boundary),
    links: [link],
  };
}

function dataOf(spans: readonly Span[]): TracesData {
  return { resourceSpans: [{ scopeSpans: [{ spans: [...spans] }] }] };
}

/** The set-up of the root, fetched from the spans of its process as a replay does it. */
function setUpFrom(count: number, spans: readonly Span[]): SetUp | undefined {
  const alone = assembleRecording(dataOf([root(count)]));
  const link = setUpLinkOf(alone, rootSpan);
  const recorded = alone.bySpanId.get(rootSpan);
  if (link === undefined || recorded === undefined) throw new TypeError('the root names its set-up');
  const kept = setUpTelemetry(dataOf(spans), link, recorded);
  const both = assembleRecording({ resourceSpans: [...alone.data.resourceSpans, ...kept.resourceSpans] });
  expect(both.crossings.map(({ spanId }) => spanId)).toEqual([rootSpan]);
  return both.setUps.get(rootSpan);
}

const idsOf = (setUp: SetUp | undefined): number[] =>
  (setUp?.crossings ?? []).filter(({ spanId }) => spanId !== processRun).map(({ spanId }) => Number(`0x${spanId}`));

describe('the set-up of a run', () => {
  it('is what had begun before the root by count, whatever the clock says, with all inside it', () => {
    const inside = call({ id: 9, parent: '0000000000000001', order: 0, start: rootStart + 1 });
    const spans = [
      call({ id: 2, start: rootStart + 50 }),
      call({ id: 1 }),
      inside,
      call({ id: 3, start: 1 }),
      call({ id: 4 }),
    ];
    expect(idsOf(setUpFrom(3, spans))).toEqual([1, 9, 2]);
  });

  it('takes what another process of it did by the clock: that counts for itself', () => {
    const early = call({ id: 5, order: 0, start: rootStart - 1 });
    const late = call({ id: 6, order: 0, start: rootStart + 1 });
    const withoutParent = ({ attributes = [], ...span }: Span): Span => ({
      ...span,
      attributes: attributes.filter(({ key }) => key !== 'reenact.parent'),
    });
    expect(idsOf(setUpFrom(1, [withoutParent(early), withoutParent(late)]))).toEqual([5]);
  });

  it('stands below the run of the process, which need not have ended, and has its paths', () => {
    const setUp = setUpFrom(2, [call({ id: 0, order: 0 }), call({ id: 1, order: 1 })]);
    expect(setUp?.crossings.map(({ path }) => path)).toEqual([
      'agent:process',
      'agent:process/tool:read',
      'agent:process/tool:read#2',
    ]);
    expect(setUp?.processRun).toMatchObject({ spanId: processRun, outcome: { type: 'pending' } });
  });

  it('holds of what was polled for days the first few and the last, and never more than it may', () => {
    const polls = Array.from({ length: 20_000 }, (_, order) => call({ id: order, order, input: '["flag"]' }));
    const setting = call({ id: 20_000, input: '["limit"]' });
    const held = idsOf(setUpFrom(20_001, [...polls, setting]));
    const half = SET_UP_REPEATS_MAX / 2;
    const end = Array.from({ length: half + 1 }, (_, index) => 20_000 - half + index);
    expect(held).toEqual([...Array.from({ length: half }, (_, order) => order), ...end]);
    const different = polls.map((_, order) => call({ id: order, order, input: `[${order}]` }));
    expect(idsOf(setUpFrom(20_000, different))).toHaveLength(SET_UP_CROSSINGS_MAX);
  });

  it('gives what an answer had given that nobody read to its end', () => {
    const request = { method: 'GET', url: 'http://127.0.0.1/', headers: [] };
    const exchanges = JSON.stringify([{ attempt: 0, layer: 'fetch', startedAtUnixNano: '1', request }]);
    const open = { 'reenact.exchanges': exchanges, 'reenact.exchanges.digest': digestOf(exchanges) };
    const pending = call({ id: 0, attributes: { 'reenact.outcome': 'pending', ...open } });
    const found = setUpFrom(1, [pending])?.crossings.at(-1) as Crossing;
    expect([found.damage, found.call, found.outcome.type]).toEqual([[], 'exchange', 'aborted']);
  });

  it('is none of a root that names none, and another trace is still refused', () => {
    expect(setUpFrom(1, [])).toBeUndefined();
    const unlinked = { ...root(1), links: [] };
    expect(assembleRecording(dataOf([unlinked])).setUps.size).toBe(0);
    expect(() => assembleRecording(dataOf([unlinked, call({ id: 0 })]))).toThrow('holds 2 traces');
  });
});

describe('what a process polled before a run', () => {
  it('leaves out with the middle of what was polled what was called with its answers', () => {
    const polls = Array.from({ length: 1_000 }, (_, index) => {
      const flag = call({ id: 2 * index, order: 2 * index, input: '["flag"]' });
      return [flag, call({ id: 2 * index + 1, order: 2 * index + 1, input: `[${index}]` })];
    });
    const rare = call({
      id: 5_000,
      order: 5_000,
      start: 900,
      input: '["limit"]',
      attributes: { 'reenact.name': 'rare' },
    });
    const held = idsOf(setUpFrom(5_001, [...polls.flat(), rare]));
    const beginning = Array.from({ length: SET_UP_REPEATS_MAX - 1 }, (_, order) => order);
    const end = Array.from({ length: SET_UP_REPEATS_MAX }, (_, index) => 2_000 - SET_UP_REPEATS_MAX + index);
    expect(held.toSorted((left, right) => left - right)).toEqual([...beginning, ...end, 5_000]);
  });
});

describe('what a process does beside a run', () => {
  it('stands beside its set-up, bounded, without numbers that count for another run', () => {
    const settled = { 'reenact.settled': 4, 'reenact.settled_with_previous': true };
    const spans = [
      call({ id: 0, order: 0, attributes: settled }),
      call({ id: 1, order: 1, start: rootStart + 5, attributes: settled }),
      call({ id: 9, parent: '0000000000000001', order: 0, start: rootStart + 30 }),
      call({ id: 2, order: 2, start: rootStart - 5 }),
      call({ id: 3, order: 3, start: rootStart + 20 }),
    ];
    const setUp = setUpFrom(1, spans);
    expect(setUp?.crossings.at(-1)).toMatchObject({ settled: 4 });
    expect(setUp?.beside.map(({ spanId }) => Number(`0x${spanId}`))).toEqual([1, 9, 2]);
    expect(setUp?.beside.some(({ settled: order }) => order !== undefined)).toBe(false);
    const many = Array.from({ length: 2_000 }, (_, order) =>
      call({ id: order, input: `[${order}]`, start: rootStart + 5 }),
    );
    expect(setUpFrom(1, many)?.beside).toHaveLength(BESIDE_CROSSINGS_MAX);
    const polls = Array.from({ length: 900 }, (_, order) =>
      call({ id: order, input: '["flag"]', start: rootStart + 5 }),
    );
    expect(setUpFrom(1, polls)?.beside).toHaveLength(BESIDE_REPEATS_MAX);
  });
});

describe('what a process does after a run', () => {
  it('stands beside its set-up, bounded', () => {
    const inside = call({ id: 9, parent: '0000000000000003', order: 0, start: rootStart + 21 });
    const spans = [
      call({ id: 0, order: 0 }),
      call({ id: 1, order: 1, start: rootStart + 5 }),
      call({ id: 2, order: 2, start: rootStart - 5 }),
      call({ id: 3, order: 3, start: rootStart + 20 }),
      inside,
    ];
    const setUp = setUpFrom(1, spans);
    expect(idsOf(setUp)).toEqual([0]);
    expect(setUp?.afterwards.map(({ spanId }) => Number(`0x${spanId}`))).toEqual([3, 9]);
    const many = Array.from({ length: 900 }, (_, order) =>
      call({ id: order, order, input: `[${order}]`, start: rootStart + 20 }),
    );
    expect(setUpFrom(1, many)?.afterwards).toHaveLength(AFTERWARDS_CROSSINGS_MAX);
    const polls = Array.from({ length: 900 }, (_, order) =>
      call({ id: order, order, input: '["flag"]', start: rootStart + 20 }),
    );
    expect(setUpFrom(1, polls)?.afterwards).toHaveLength(AFTERWARDS_REPEATS_MAX);
  });
});
