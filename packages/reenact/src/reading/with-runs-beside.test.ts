import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { assembleRecording } from '@reenact/dialects';
import { encodeTracesJson, fromMap, type TracesData } from '@reenact/otlp';
import { isReenactError, type Recording } from '@reenact/trace-model';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RUNS_BESIDE_MAX } from '../limits.ts';
import { requireRunsBeside, withRunsBeside } from './with-runs-beside.ts';

function idOf(place: number, length: number): string {
  return place.toString(16).padStart(length, 'd');
}

type Chain = 'run' | 'request';
let chain: Chain;

function linksBeside(place: number) {
  const latest = besides[place];
  if (latest === undefined) return [];
  const attributes = fromMap([['reenact.process.request_latest', latest]]);
  return [{ traceId: idOf(latest, 32), spanId: idOf(latest, 16), attributes }];
}

/** What a collector has of the run, or the request, at a place of its process. */
function run(place: number): TracesData {
  const before = { traceId: idOf(place - 1, 32), spanId: idOf(place - 1, 16) };
  const attributes = fromMap([[`reenact.process.${chain}_before`, place - 1]]);
  const span = {
    traceId: idOf(place, 32),
    spanId: idOf(place, 16),
    name: 'run',
    startTimeUnixNano: String(place),
    endTimeUnixNano: String(place + 1),
    attributes: fromMap([
      ['reenact.schema', '1'],
      ['reenact.boundary', 'agent'],
      ['reenact.name', 'job'],
      ['reenact.outcome', 'returned'],
    ]),
    links: [...(place > 1 ? [{ ...before, attributes }] : []), ...linksBeside(place)],
  };
  return { resourceSpans: [{ resource: { attributes: [] }, scopeSpans: [{ spans: [span] }] }] };
}

/** The places of the requests that came last beside others, by the places of those. */
let besides: Readonly<Record<number, number>>;
let asked: string[];
let lacking: Set<string>;
let collector: Server;
let url: string;

beforeEach(async () => {
  asked = [];
  lacking = new Set();
  besides = {};
  chain = 'run';
  collector = createServer((request, response) => {
    const [traceId = ''] = /[0-9a-f]{32}/.exec(request.url ?? '') ?? [];
    asked.push(traceId);
    const place = Number.parseInt(traceId.replace(/^d+/, ''), 16);
    response.writeHead(lacking.has(traceId) ? 404 : 200, { 'content-type': 'application/json' });
    response.end(lacking.has(traceId) ? '{}' : encodeTracesJson(run(place)));
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
});

afterEach(() => new Promise((resolve) => collector.close(resolve)));

function recordingAt(place: number): Recording {
  return assembleRecording(run(place));
}

describe('the other runs of a process', () => {
  it('are fetched once each, back to the first', async () => {
    const { recording, beside, reason } = await withRunsBeside(recordingAt(4), idOf(4, 16), { url, requestsBefore: 0 });
    expect(asked).toEqual([3, 2, 1].map((place) => idOf(place, 32)));
    expect([beside.place, beside.runs.map(({ place }) => place), beside.missing, reason]).toEqual([
      4,
      [1, 2, 3],
      undefined,
      '',
    ]);
    expect(assembleRecording(recording.data).runsBeside).toHaveLength(3);
  });

  it('stop at one that is not there, which is named in what refuses the replay', async () => {
    lacking.add(idOf(2, 32));
    const found = await withRunsBeside(recordingAt(4), idOf(4, 16), { url, requestsBefore: 0 });
    expect([found.beside.missing?.place, asked.length]).toEqual([2, 2]);
    let thrown: unknown;
    try {
      requireRunsBeside(found, idOf(4, 16));
    } catch (error) {
      thrown = error;
    }
    if (!isReenactError(thrown)) throw new TypeError('it is refused');
    expect([thrown.code, thrown.where]).toEqual(['cold-case', idOf(2, 32)]);
    expect(thrown.message).toMatch(/This is run 4 of its process, and run 2 /);
  });

  it('are not asked for where they are too many, or where there is nobody to ask', async () => {
    const place = RUNS_BESIDE_MAX + 2;
    const many = await withRunsBeside(recordingAt(place), idOf(place, 16), { url, requestsBefore: 0 });
    expect([many.beside.missing?.place, many.reason]).toEqual([
      place - 1,
      expect.stringContaining(`${RUNS_BESIDE_MAX}`),
    ]);
    const alone = await withRunsBeside(recordingAt(3), idOf(3, 16), { url: undefined, requestsBefore: 0 });
    expect([alone.beside.missing?.place, asked]).toEqual([2, []]);
  });
});

describe('the requests before one', () => {
  beforeEach(() => {
    chain = 'request';
  });

  function fetched(requestsBefore: number) {
    return withRunsBeside(recordingAt(5), idOf(5, 16), { url, requestsBefore });
  }

  it('are fetched as many as are wanted, the last ones', async () => {
    expect((await fetched(0)).beside.runs).toEqual([]);
    const two = await fetched(2);
    expect([two.beside.place, two.beside.runs.map(({ place }) => place), two.reason]).toEqual([5, [3, 4], '']);
    const all = await fetched(Number.POSITIVE_INFINITY);
    expect(all.beside.runs.map(({ place }) => place)).toEqual([1, 2, 3, 4]);
    expect(assembleRecording(all.recording.data).runsBeside).toHaveLength(4);
  });

  it('are those behind one that is not there, which stops no replay', async () => {
    lacking.add(idOf(2, 32));
    const found = await fetched(Number.POSITIVE_INFINITY);
    expect([found.beside.runs.map(({ place }) => place), found.lacking?.place]).toEqual([[3, 4], 2]);
    expect(found.reason).not.toBe('');
    expect(() => requireRunsBeside(found, idOf(5, 16))).not.toThrow();
  });

  it('are looked for beside those, and left out where they came only behind it', async () => {
    besides = { 3: 6, 4: 7 };
    const { recording, beside, reason } = await fetched(3);
    expect(asked).toEqual([4, 3, 2, 7, 6].map((place) => idOf(place, 32)));
    // The one that 3 names began as this one ended, the one that 4 names behind that.
    expect([beside.runs.map(({ place }) => place), reason]).toEqual([[2, 3, 4, 6], '']);
    expect(assembleRecording(recording.data).runsBeside).toHaveLength(4);
    lacking.add(idOf(7, 32));
    expect(await fetched(3)).toMatchObject({ lacking: undefined, reason: '' });
  });

  it('are fetched where one beside it is not there, as what its process was killed in', async () => {
    lacking.add(idOf(9, 32));
    const data = run(5);
    const attributes = fromMap([['reenact.process.request_latest', 9]]);
    data.resourceSpans[0]?.scopeSpans[0]?.spans[0]?.links?.push({
      traceId: idOf(9, 32),
      spanId: idOf(9, 16),
      attributes,
    });
    const wanted = { url, requestsBefore: 2 };
    const { beside, lacking: gone, reason } = await withRunsBeside(assembleRecording(data), idOf(5, 16), wanted);
    expect([beside.runs.map(({ place }) => place), gone?.place]).toEqual([[3, 4], 9]);
    expect(reason).not.toBe('');
    expect(asked).toEqual([idOf(9, 32), idOf(4, 32), idOf(3, 32)]);
  });
});
