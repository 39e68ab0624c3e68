import { fromMap, type PlainValue, type Span, type TracesData } from '@reenact/otlp';
import { readFixture, runsBesideOf, writeFixture } from '@reenact/trace-model/reading';
import { describe, expect, it } from 'vitest';
import { assembleRecording } from './assemble-recording.ts';
import { markedBeside } from './part-traces.ts';

interface Named {
  readonly before?: number;
  readonly latest?: number;
  /** The traces of requests before it, each under its place. */
  readonly requests?: Readonly<Record<number, number>>;
  /** The same of the latest that came while it went on. */
  readonly latestRequest?: Readonly<Record<number, number>>;
  /** The places of those whose answers gave what it brought, by their traces. */
  readonly given?: Readonly<Record<number, number>>;
}

function traceOf(place: number): string {
  return place.toString(16).padStart(32, '0');
}

function spanOf(place: number): string {
  return place.toString(16).padStart(16, 'a');
}

function linkTo(key: string, place: number, trace = place) {
  return { traceId: traceOf(trace), spanId: spanOf(trace), attributes: fromMap([[key, place]]) };
}

/** The telemetry of one run of a process. */
function run(
  place: number,
  { before = place - 1, latest, requests = {}, latestRequest = {}, given = {} }: Named = {},
): TracesData {
  const facts: [string, PlainValue][] = [
    ['reenact.schema', '1'],
    ['reenact.boundary', 'agent'],
    ['reenact.name', 'desk'],
    ['reenact.outcome', 'returned'],
  ];
  const span: Span = {
    traceId: traceOf(place),
    spanId: spanOf(place),
    name: 'run',
    startTimeUnixNano: String(place * 1_000),
    endTimeUnixNano: String(place * 1_000 + 500),
    attributes: fromMap(facts),
    links: [
      ...(before > 0 ? [linkTo('reenact.process.run_before', before)] : []),
      ...(latest === undefined ? [] : [linkTo('reenact.process.run_latest', latest)]),
      ...Object.entries(requests).map(([at, trace]) => linkTo('reenact.process.request_before', Number(at), trace)),
      ...Object.entries(given).map(([trace, at]) => linkTo('reenact.process.request_given', at, Number(trace))),
      ...Object.entries(latestRequest).map(([at, trace]) =>
        linkTo('reenact.process.request_latest', Number(at), trace),
      ),
    ],
  };
  return { resourceSpans: [{ resource: { attributes: [] }, scopeSpans: [{ spans: [span] }] }] };
}

function recordingOf(own: TracesData, ...beside: readonly TracesData[]) {
  const groups = [own, ...beside.map(markedBeside)].flatMap(({ resourceSpans }) => resourceSpans);
  return assembleRecording({ resourceSpans: groups });
}

function placesBeside(own: TracesData, place: number, ...beside: readonly TracesData[]) {
  const found = runsBesideOf(recordingOf(own, ...beside), spanOf(place));
  return { place: found.place, runs: found.runs.map((one) => one.place), missing: found.missing?.place };
}

describe('the other runs of a process', () => {
  it('are found backwards from a run, up to the first', () => {
    expect(placesBeside(run(3), 3, run(1), run(2))).toEqual({ place: 3, runs: [1, 2], missing: undefined });
  });

  it('are found beside it from the latest that it names, and it is none of them', () => {
    const found = placesBeside(run(2, { latest: 4 }), 2, run(4), run(3), run(1));
    expect(found).toEqual({ place: 2, runs: [1, 3, 4], missing: undefined });
    expect(placesBeside(run(1, { latest: 2 }), 1, run(2))).toEqual({ place: 1, runs: [2], missing: undefined });
  });

  it('are known to be missing, and by which place and trace', () => {
    expect(placesBeside(run(3), 3)).toEqual({ place: 3, runs: [], missing: 2 });
    expect(placesBeside(run(3), 3, run(2))).toEqual({ place: 3, runs: [2], missing: 1 });
    expect(placesBeside(run(1, { latest: 3 }), 1, run(3))).toEqual({ place: 1, runs: [3], missing: 2 });
  });

  it('are none where a run says nothing of them, and a circle of links ends', () => {
    expect(placesBeside(run(1), 1)).toEqual({ place: 0, runs: [], missing: undefined });
    const circle = placesBeside(run(2, { before: 1 }), 2, run(1, { before: 2 }));
    expect(circle).toEqual({ place: 2, runs: [1], missing: undefined });
  });
});

/** One request of a process that had begun one run, trace 1, before the first of them. */
function request(trace: number, requests: Named['requests'], latestRequest: Named['latestRequest'] = {}): TracesData {
  return run(trace, { before: 1, requests: requests ?? {}, latestRequest: latestRequest ?? {} });
}

function requestsBeside(own: TracesData, trace: number, ...beside: readonly TracesData[]) {
  const { place, runs, requests } = runsBesideOf(recordingOf(own, ...beside), spanOf(trace));
  const traces = runs.map((one) => [one.place, Number.parseInt(one.recording.traceId, 16)]);
  const [missing, given] = [requests?.missing, requests?.given].map((links) => links?.map((link) => link.place));
  return { traces, ...requests, place: requests?.place ?? place, missing, given };
}

describe('the requests before one and beside it', () => {
  it('are those that are held, behind what its service began at its start, and the next of them is named', () => {
    const own = request(14, { 3: 13 });
    const alone = { traces: [[1, 1]], place: 4, recorded: 3, held: 0, missing: [3], perhaps: [], given: [] };
    expect(requestsBeside(own, 14, run(1))).toEqual(alone);
    expect(runsBesideOf(recordingOf(own, run(1)), spanOf(14)).place).toBe(2);
    const held = [run(1), request(13, { 2: 12 }), request(12, { 1: 11 })];
    const traces = [
      [1, 1],
      [3, 12],
      [4, 13],
    ];
    expect(requestsBeside(own, 14, ...held)).toEqual({
      traces,
      place: 4,
      recorded: 3,
      held: 2,
      missing: [1],
      perhaps: [],
      given: [],
    });
  });

  it('are found from the latest that it names back through itself', () => {
    const own = request(14, { 1: 11 }, { 4: 17 });
    const held = [run(1), request(17, { 3: 16 }), request(16, { 2: 14 }), request(11, {})];
    const traces = [
      [1, 1],
      [2, 11],
      [4, 16],
      [5, 17],
    ];
    expect(requestsBeside(own, 14, ...held)).toEqual({
      traces,
      place: 2,
      recorded: 3,
      held: 3,
      missing: [],
      perhaps: [],
      given: [],
    });
  });

  it('are found before it where one beside it is not held', () => {
    const own = request(14, { 2: 12 }, { 5: 18 });
    const held = [run(1), request(18, { 4: 17 }), request(12, { 1: 11 })];
    const traces = [
      [1, 1],
      [3, 12],
      [6, 18],
    ];
    const cut = { place: 3, recorded: 4, held: 2, missing: [4, 1], perhaps: [], given: [] };
    expect(requestsBeside(own, 14, ...held)).toEqual({ traces, ...cut });
    expect(requestsBeside(own, 14, ...held, request(17, { 3: 14 }))).toMatchObject({ held: 3, missing: [1] });
  });

  it('are found past one that is not held, by the one that had ended', () => {
    const own = request(14, { 1: 11, 3: 13 });
    const found = requestsBeside(own, 14, run(1), request(11, {}));
    expect(found).toMatchObject({ place: 4, held: 1, missing: [3] });
  });
});

describe('the requests that others name', () => {
  it('are found once each, and in a circle of links', () => {
    const own = request(14, { 1: 11, 3: 13 });
    const found = requestsBeside(
      own,
      14,
      run(1),
      request(13, { 1: 11, 2: 12 }),
      request(12, { 3: 13 }),
      request(11, {}),
    );
    expect(found).toMatchObject({ place: 4, held: 3, missing: [] });
  });

  it('are found by what their answers gave, whether they count or not', () => {
    const own = run(14, { before: 1, requests: { 3: 13 }, given: { 12: 2, 15: 0 } });
    expect(requestsBeside(own, 14)).toMatchObject({ recorded: 4, held: 0, missing: [3, 2, 0], given: [2, 0] });
    const traces = [
      [1, 1],
      [3, 12],
      [3, 15],
      [4, 13],
    ];
    const held = [run(1), request(13, { 2: 12 }), request(12, { 1: 11 }), request(15, { 1: 11 })];
    const found = { traces, place: 4, recorded: 4, held: 3, missing: [1], perhaps: [], given: [2, 0] };
    expect(requestsBeside(own, 14, ...held)).toEqual(found);
    const first = run(14, { before: 1, given: { 15: 0 } });
    expect(requestsBeside(first, 14, run(1), request(15, {}))).toMatchObject({ place: 1, recorded: 1, held: 1 });
  });
});

describe('a request that came beside one and called nothing before that had ended', () => {
  // 14 has ended when 15 makes its first call, 13 has not.
  const own = request(14, { 2: 12 }, { 4: 13 });
  const beside = [run(1), request(13, { 3: 14 }, { 5: 15 }), request(12, {})];
  const traces = [
    [1, 1],
    [3, 12],
    [5, 13],
  ];

  function startedAt(data: TracesData, startTimeUnixNano: string): TracesData {
    for (const span of data.resourceSpans[0]?.scopeSpans[0]?.spans ?? []) Object.assign(span, { startTimeUnixNano });
    return data;
  }

  it('is named by one that the two have beside them, and may be meant', () => {
    expect(requestsBeside(own, 14, ...beside)).toMatchObject({ traces, recorded: 3, held: 2, missing: [] });
    const { requests } = runsBesideOf(recordingOf(own, ...beside), spanOf(14));
    expect(requests?.perhaps.map((link) => [link.place, Number.parseInt(link.traceId, 16)])).toEqual([[5, 15]]);
  });

  it('is one of them where it is held and began before the end of that one', () => {
    const held = startedAt(request(15, { 4: 13 }), '14500');
    const found = requestsBeside(own, 14, ...beside, held);
    expect(found).toMatchObject({ traces: [...traces, [6, 15]], recorded: 4, held: 3, missing: [], perhaps: [] });
    const later = startedAt(request(15, { 4: 13 }), '14501');
    expect(requestsBeside(own, 14, ...beside, later)).toMatchObject({ traces, recorded: 3, held: 2, perhaps: [] });
  });
});

describe('a fixture with other runs of a process', () => {
  it('is of one run, and gives the others back as they were', () => {
    const made = recordingOf(run(3), run(1), run(2));
    const read = assembleRecording(readFixture(writeFixture(made.data)));
    expect([read.traceId, read.roots.length, read.spans.size]).toEqual([traceOf(3), 1, 1]);
    expect(new Set(read.runsBeside.map(({ traceId }) => traceId))).toEqual(new Set([traceOf(1), traceOf(2)]));
    expect(read.runsBeside.map(({ resource }) => [...resource.keys()])).toEqual([[], []]);
    expect(runsBesideOf(read, spanOf(3)).runs.map(({ place }) => place)).toEqual([1, 2]);
  });

  it('is refused where a trace in it is not marked', () => {
    const groups = [run(3), run(2)].flatMap(({ resourceSpans }) => resourceSpans);
    expect(() => assembleRecording({ resourceSpans: groups })).toThrow(/2 traces/);
  });
});
