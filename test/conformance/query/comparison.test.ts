import { createHash } from 'node:crypto';
import type { RunningCollector } from '@reenact/collector';
import { type CollectorClient, createCollectorClient } from '@reenact/collector-client';
import type { Span } from '@reenact/otlp';
import type { RunComparison } from '@reenact/trace-model/collector-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeSpan, postSpans, spanIdOf, Testbed, traceIdOf } from '../testbed.ts';
import { crossingSpan, send } from './run-corpus.ts';

const testbed = new Testbed();
const token = (name: string) => `token-of-${name}-with-many-characters`;

function described(name: string, tenant: string, scope: 'read' | 'ingest') {
  return { name, tenant, sha256: createHash('sha256').update(token(name)).digest('hex'), scopes: [scope] };
}

const tokens = [
  described('shop-app', 'shop', 'ingest'),
  described('shop-people', 'shop', 'read'),
  described('bank-people', 'bank', 'read'),
];
let collector: RunningCollector;
let client: CollectorClient;

type PlannedStep = readonly [name: string, input: unknown, output: unknown];

/** A run of an agent and what it called, one second after the other. */
function runOf(trace: number, steps: readonly PlannedStep[], agent = 'trader', members: Partial<Span> = {}): Span[] {
  const root = crossingSpan({
    trace,
    span: trace * 1_000,
    kind: 'agent',
    name: agent,
    input: ['sell'],
    output: 'done',
    members,
  });
  return [
    root,
    ...steps.map(([name, input, output], place) =>
      crossingSpan({
        trace,
        span: trace * 1_000 + place + 1,
        parent: trace * 1_000,
        name,
        input: [input],
        output,
        atSecond: place + 1,
        attributes: {},
      }),
    ),
  ];
}

const quote: PlannedStep = ['get_quote', { symbol: 'ACME' }, { price: 190 }];

beforeAll(async () => {
  collector = await testbed.start();
  client = createCollectorClient({ url: collector.httpUrl });
  await send(collector.httpUrl, runOf(1, [quote, ['place_order', { shares: 5 }, 'sold']]));
  await send(
    collector.httpUrl,
    runOf(2, [quote, ['get_news', 'ACME', []], ['place_order', { shares: 1_000 }, 'sold']]),
  );
  await send(collector.httpUrl, runOf(3, [['weather', 'Lisbon', 'sun']], 'guide'), 'travel');
});
afterAll(() => testbed.dispose());

function compare(left: string, right: string): Promise<RunComparison> {
  return client.compareRuns({ left, right });
}

function outlineOf({ steps }: RunComparison): string[] {
  return steps.map(({ status, depth, name, difference }) => `${depth} ${name} ${status} ${difference ?? ''}`.trim());
}

describe('GET /api/v1/comparison', () => {
  it('tells of every crossing of both runs what became of it, and where it differs, with its id in each', async () => {
    const found = await compare(traceIdOf(1), traceIdOf(2));
    expect(outlineOf(found)).toEqual([
      '0 agent:trader equal',
      '1 tool:get_quote equal',
      '1 tool:get_news inserted 1',
      '1 tool:place_order input-changed 2',
    ]);
    expect(found).toMatchObject({
      verdict: 'different',
      left: { traceId: traceIdOf(1), rootPath: 'agent:trader', crossings: 3, service: 'shop', replayability: 'full' },
      right: { traceId: traceIdOf(2), rootSpanId: spanIdOf(2_000), crossings: 4 },
      totals: { equal: 2, inserted: 1, 'input-changed': 1, removed: 0, moved: 0, notCompared: 0 },
      steps: [{}, { left: spanIdOf(1_001), right: spanIdOf(2_001) }, { right: spanIdOf(2_002) }, {}],
    });
    expect(found.differences[1]).toMatchObject({
      left: { path: 'agent:trader/tool:place_order', spanId: spanIdOf(1_002) },
      right: { spanId: spanIdOf(2_003) },
      input: { total: 1, places: [{ path: '$[0].shares', left: '5', right: '1000' }] },
    });
  });

  it('finds nothing between a run and itself, and leaves out what is none', async () => {
    const found = await compare(spanIdOf(1_000), traceIdOf(1).toUpperCase());
    expect(found).toMatchObject({ verdict: 'equal', differences: [], environment: [], notes: [] });
    expect(Object.keys(found).filter((name) => name.startsWith('leftOut'))).toEqual([]);
  });

  it('compares the part of a run that a span id names', async () => {
    const found = await compare(spanIdOf(1_002), spanIdOf(2_003));
    expect(outlineOf(found)).toEqual(['0 tool:place_order input-changed 1']);
  });

  it('says of runs that have nothing in common that they are of other agents and services, and all of both', async () => {
    const found = await compare(traceIdOf(1), traceIdOf(3));
    expect(outlineOf(found).slice(1)).toEqual([
      '1 tool:weather inserted 2',
      '1 tool:get_quote removed 3',
      '1 tool:place_order removed 4',
    ]);
    expect(found.differences[0]?.input?.places[0]).toEqual({
      path: 'name',
      left: 'agent:trader',
      right: 'agent:guide',
    });
    expect(found.environment).toContainEqual({ name: 'service', left: 'shop', right: 'travel' });
  });

  it('takes nothing for equal that was not recorded, and tells which run has not ended', async () => {
    const attributes = { 'reenact.output': '', 'reenact.output.digest': '' };
    const going = crossingSpan({ trace: 4, span: 4_000, kind: 'agent', name: 'trader', input: ['sell'], attributes });
    const open = going.attributes?.filter(({ key }) => !key.startsWith('reenact.output') && key !== 'reenact.outcome');
    await send(collector.httpUrl, [{ ...going, endTimeUnixNano: '0', attributes: open ?? [] }]);
    const pending = await compare(traceIdOf(1), traceIdOf(4));
    expect(pending).toMatchObject({ verdict: 'different', right: { pendingCrossings: 1 } });
    const dark = runOf(5, []).map((span) => ({
      ...span,
      attributes: (span.attributes ?? []).filter(({ key }) => !key.startsWith('reenact.output')),
    }));
    await send(collector.httpUrl, dark);
    const unverified = await compare(traceIdOf(5), traceIdOf(5));
    expect(unverified).toMatchObject({ verdict: 'unverified', totals: { notCompared: 1 } });
    expect(unverified.notes).toEqual([
      'Not compared: agent:trader: the outcome was not recorded in the first recording.',
    ]);
  });
});

describe('a comparison that cannot be made', () => {
  it.each([
    ['an id that nothing is stored under', traceIdOf(1), traceIdOf(99), 'not-found'],
    ['an id that is none', traceIdOf(1), 'latest', 'bad-request'],
  ])('says so of %s', async (_what, left, right, code) => {
    const response = await fetch(`${collector.httpUrl}/api/v1/comparison?left=${left}&right=${right}`);
    expect(await response.json()).toMatchObject({ error: { code, next: expect.any(String) } });
  });

  it('says which parameter is missing', async () => {
    const response = await fetch(`${collector.httpUrl}/api/v1/comparison?left=${traceIdOf(1)}`);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('\\"right\\"');
  });

  it('names the runs of a trace that holds several', async () => {
    const two = [60, 61].map((span) => crossingSpan({ trace: 6, span, kind: 'agent', name: `agent-${span}` }));
    await send(collector.httpUrl, two);
    await expect(compare(traceIdOf(1), traceIdOf(6))).rejects.toMatchObject({
      code: 'bad-request',
      next: expect.stringContaining(`${spanIdOf(61)} (agent:agent-61)`),
    });
    expect((await compare(spanIdOf(60), spanIdOf(61))).verdict).toBe('different');
  });

  it('says of a trace without crossings that it lacks them', async () => {
    await send(collector.httpUrl, [makeSpan({ traceId: traceIdOf(7), spanId: spanIdOf(70) })]);
    const response = await fetch(`${collector.httpUrl}/api/v1/comparison?left=${traceIdOf(1)}&right=${traceIdOf(7)}`);
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ error: { code: 'cold-case' } });
  });

  it('says how large a run is that is too large, and how it is compared all the same', async () => {
    const spans = Array.from({ length: 20_001 }, (_, place) =>
      makeSpan({ traceId: traceIdOf(8), spanId: spanIdOf(800_000 + place) }),
    );
    await send(collector.httpUrl, spans);
    await expect(compare(traceIdOf(8), traceIdOf(1))).rejects.toMatchObject({
      code: 'too-large',
      message: expect.stringContaining('20001 spans, more than 20000'),
      next: expect.stringContaining('reenact diff'),
    });
  });
});

describe('a comparison of a collector with tokens', () => {
  it('needs the scope read, and sees the runs of its tenant only', async () => {
    const guarded = await testbed.start({ tokens });
    const headers = (name: string) => ({ authorization: `Bearer ${token(name)}` });
    for (const trace of [1, 2]) {
      expect((await postSpans(guarded.httpUrl, runOf(trace, [quote]), 'shop', headers('shop-app'))).status).toBe(200);
    }
    const address = `${guarded.httpUrl}/api/v1/comparison?left=${traceIdOf(1)}&right=${traceIdOf(2)}`;
    const statusWith = async (name?: string) =>
      (await fetch(address, { headers: name === undefined ? {} : headers(name) })).status;
    expect(await statusWith()).toBe(401);
    expect(await statusWith('shop-app')).toBe(403);
    expect(await statusWith('bank-people')).toBe(404);
    expect(await statusWith('shop-people')).toBe(200);
  });
});
