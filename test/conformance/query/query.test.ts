import { request as httpRequest } from 'node:http';
import type { RunningCollector } from '@reenact/collector';
import { encodeTracesJson, type Span } from '@reenact/otlp';
import {
  ATTR_GEN_AI_AGENT_NAME,
  ATTR_GEN_AI_OPERATION_NAME,
  ATTR_GEN_AI_RESPONSE_MODEL,
  ATTR_GEN_AI_USAGE_INPUT_TOKENS,
  ATTR_GEN_AI_USAGE_OUTPUT_TOKENS,
} from '@reenact/semconv/gen-ai';
import { runListSchema } from '@reenact/trace-model/collector-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeSpan, postSpans, spanIdOf, Testbed, textAttributes, traceIdOf, wrapSpans } from '../testbed.ts';

const testbed = new Testbed();
let collector: RunningCollector;

function inference(number: number, parent: number, tokens: number): Span {
  const counts = [ATTR_GEN_AI_USAGE_INPUT_TOKENS, ATTR_GEN_AI_USAGE_OUTPUT_TOKENS].map((key) => ({
    key,
    value: { intValue: String(tokens) },
  }));
  const names = textAttributes({ [ATTR_GEN_AI_OPERATION_NAME]: 'chat', [ATTR_GEN_AI_RESPONSE_MODEL]: 'm-1' });
  return makeSpan({ spanId: spanIdOf(number), parentSpanId: spanIdOf(parent), attributes: [...names, ...counts] });
}

/** A run whose outer inference repeats the tokens of the inner one; its spans arrive child first. */
const RUN = [
  inference(3, 2, 10),
  inference(2, 1, 10),
  { ...inference(4, 1, 5), status: { code: 2 as const } },
  makeSpan({ name: 'root', attributes: textAttributes({ [ATTR_GEN_AI_AGENT_NAME]: 'trader' }) }),
];

beforeAll(async () => {
  collector = await testbed.start();
  for (const span of RUN) await postSpans(collector.httpUrl, [span]);
  const failed = makeSpan({ traceId: traceIdOf(2), spanId: spanIdOf(20), name: 'failed', status: { code: 2 } });
  await postSpans(collector.httpUrl, [{ ...failed, startTimeUnixNano: '1763700500000000000' }], 'bank');
});
afterAll(() => testbed.dispose());

async function listRuns(query = ''): Promise<ReturnType<typeof runListSchema.parse>> {
  const response = await fetch(`${collector.httpUrl}/api/v1/runs${query}`);
  expect(response.status).toBe(200);
  return runListSchema.parse(await response.json());
}

describe('GET /api/v1/runs', () => {
  it('sums a run up, counting only innermost inferences', async () => {
    const { runs } = await listRuns();
    expect(runs.map(({ name }) => name)).toEqual(['failed', 'root']);
    expect(runs[1]).toEqual({
      traceId: traceIdOf(1),
      rootSpanId: spanIdOf(1),
      name: 'root',
      origin: 'recorded',
      agents: ['trader'],
      usage: [{ model: 'm-1', calls: 2, inputTokens: 15, outputTokens: 15 }],
      service: 'shop',
      startedAt: '2025-11-21T04:40:00.000Z',
      durationMs: 1000.000001,
      status: 'ok',
      spanCount: 4,
      // The outer inference tells of the same call as the inner one.
      crossingCount: 2,
      errorCount: 1,
      models: ['m-1'],
      inputTokens: 15,
      outputTokens: 15,
      replayability: {
        verdict: 'cold',
        missing: expect.arrayContaining([expect.objectContaining({ cause: 'no-crossings' })]),
      },
    });
  });

  it.each([
    ['?service=bank', ['failed']],
    ['?status=error', ['failed']],
    ['?agent=trader', ['root']],
    ['?since=2025-11-21T04:45:00Z', ['failed']],
    ['?until=2025-11-21T05:45:00%2B01:00', ['root']],
    ['?kind=tool', []],
  ])('filters by %s', async (query, names) => {
    expect((await listRuns(query)).runs.map(({ name }) => name)).toEqual(names);
  });

  it('pages', async () => {
    const first = await listRuns('?limit=1');
    expect(first.runs.map(({ name }) => name)).toEqual(['failed']);
    const second = await listRuns(`?limit=1&cursor=${first.nextCursor}`);
    expect(second).toMatchObject({ runs: [{ name: 'root' }] });
    expect(second.nextCursor).toBeUndefined();
  });

  it('shows a span that arrives late at once', async () => {
    const late = makeSpan({ traceId: traceIdOf(2), spanId: spanIdOf(21), parentSpanId: spanIdOf(20) });
    await postSpans(collector.httpUrl, [late], 'bank');
    expect((await listRuns('?service=bank')).runs[0]?.spanCount).toBe(2);
  });

  it.each([
    ['?foo=1', /"foo"/, /trace, span, since, .*cursor/],
    ['?limit=0', /"limit".* >=1/, /how many at most/],
    ['?limit=501', /"limit".* <=500/, /how many at most/],
    ['?status=maybe', /"status".*"ok"\|"error"/, /runs that ended ok or in error/],
    ['?since=yesterday', /"since".*ISO 8601.*2026-11-23T14:05:00Z/, /runs that started at this time or later/],
    ['?since=1&since=2', /"since".*more than once/, /runs that started at this time or later/],
    ['?cursor=x', /cursor/, /./],
  ])('refuses %s, saying of this parameter what is accepted', async (query, message, next) => {
    const response = await fetch(`${collector.httpUrl}/api/v1/runs${query}`);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      error: { code: 'bad-request', message: expect.stringMatching(message), next: expect.stringMatching(next) },
    });
  });
});

describe('GET /api/v1/runs with crossings', () => {
  const facts = { schema: '1', outcome: 'returned', call: 'promise', effect: 'none', input: '[]', output: '1' };
  const crossing = (boundary: string, name: string) =>
    textAttributes(
      Object.fromEntries(Object.entries({ ...facts, boundary, name }).map(([key, value]) => [`reenact.${key}`, value])),
    );

  it('names a run after its root crossing and finds it by any crossing in it', async () => {
    const [traceId, rootId] = [traceIdOf(3), spanIdOf(30)];
    await postSpans(collector.httpUrl, [
      makeSpan({ traceId, spanId: rootId, attributes: crossing('agent', 'desk') }),
      makeSpan({ traceId, spanId: spanIdOf(31), parentSpanId: rootId, attributes: crossing('tool', 'quote') }),
    ]);
    for (const query of ['?agent=desk', '?kind=tool&name=quote', '?kind=tool', '?name=desk']) {
      const { runs } = await listRuns(query);
      expect(runs, query).toMatchObject([{ traceId, name: 'agent:desk', crossingCount: 2, spanCount: 2 }]);
    }
    expect((await listRuns('?kind=agent&name=quote')).runs).toEqual([]);
  });
});

describe('GET /api/v1/recordings', () => {
  it.each([traceIdOf(1), spanIdOf(1), spanIdOf(3).toUpperCase()])('finds the whole trace by %s', async (id) => {
    const response = await fetch(`${collector.httpUrl}/api/v1/recordings/${id}`);
    expect(await response.text()).toBe(encodeTracesJson(wrapSpans(RUN)));
  });

  it.each([
    [404, 'not-found', spanIdOf(999)],
    [404, 'not-found', traceIdOf(999)],
    [400, 'bad-request', 'nonsense'],
    [400, 'bad-request', '%E0%A4%A'],
  ])('answers %i %s for %s, and says what to do', async (status, code, id) => {
    const response = await fetch(`${collector.httpUrl}/api/v1/recordings/${id}`);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { code, next: expect.any(String) } });
  });
});

describe('the rest of the query API', () => {
  it.each(['/health/live', '/health/ready', '/api/v1/stats', `/api/v1/logs/${traceIdOf(1)}`])(
    'serves %s',
    async (path) => {
      const response = await fetch(collector.httpUrl + path);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('application/json');
    },
  );

  it('knows no other path and no other method', async () => {
    expect((await fetch(`${collector.httpUrl}/api/v2/runs`)).status).toBe(404);
    const refused = await fetch(`${collector.httpUrl}/api/v1/runs`, { method: 'DELETE' });
    expect(refused.status).toBe(405);
    expect(await refused.json()).toMatchObject({ error: { next: expect.stringContaining('reenact docs api') } });
  });

  it.each([
    ...['attacker.example', 'localhost.attacker.example', '127.attacker.example', '127.0.0.1.attacker.example'].map(
      (host) => [host, 400] as const,
    ),
    ...['localhost', 'LOCALHOST:4318', '127.0.0.1', '127.9.9.9:80', '[::1]:4318'].map((host) => [host, 200] as const),
  ])('answers to names of this machine only: to %s with %i', async (host, expected) => {
    const status = await new Promise((resolve) => {
      httpRequest(`${collector.httpUrl}/api/v1/runs`, { headers: { host } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).end();
    });
    expect(status).toBe(expected);
  });
});

describe('telemetry that OTLP/JSON cannot hold', () => {
  it('travels beside the span as the bytes received', async () => {
    const span = Buffer.concat([
      Buffer.from([0x0a, 16]),
      Buffer.alloc(16, 3),
      Buffer.from([0x12, 8]),
      Buffer.alloc(8, 4),
      Buffer.from([0x2a, 1, 0xff]),
    ]);
    const body = Buffer.from([0x0a, span.length + 4, 0x12, span.length + 2, 0x12, span.length, ...span]);
    const headers = { 'content-type': 'application/x-protobuf' };
    expect((await fetch(`${collector.httpUrl}/v1/traces`, { method: 'POST', headers, body })).status).toBe(200);
    const response = await fetch(`${collector.httpUrl}/api/v1/recordings/${'04'.repeat(8)}`);
    expect(await response.json()).toMatchObject({
      resourceSpans: [{ scopeSpans: [{ spans: [{ name: '\ufffd', attributes: [rawAttribute(span)] }] }] }],
    });
  });
});

function rawAttribute(span: Buffer): object {
  return { key: 'reenact.raw', value: { stringValue: span.toString('base64') } };
}

describe('telemetry with fields that this version does not know', () => {
  const framed = (tag: number, ...content: Buffer[]) => {
    const whole = Buffer.concat(content);
    return Buffer.concat([Buffer.from([tag, whole.length]), whole]);
  };
  /** Field 31, which OTLP has nowhere. */
  const unknown = (text: string) => Buffer.concat([Buffer.from([0xfa, 0x01, text.length]), Buffer.from(text)]);
  const ids = (trace: number, span: number) => [
    framed(0x0a, Buffer.alloc(16, 7)),
    framed(trace, Buffer.alloc(8, span)),
  ];
  const resource = unknown('of the resource');
  const scope = Buffer.concat([framed(0x0a, Buffer.from('lib')), unknown('of the scope')]);

  async function send(path: string, item: Buffer): Promise<void> {
    const scopeGroup = framed(0x12, framed(0x0a, scope), framed(0x12, item));
    const body = framed(0x0a, framed(0x0a, resource), scopeGroup);
    const headers = { 'content-type': 'application/x-protobuf' };
    const response = await fetch(collector.httpUrl + path, { method: 'POST', headers, body });
    expect([response.status, await response.text()]).toEqual([200, '']);
  }

  it('travels as the bytes received, in resources and scopes, too', async () => {
    await send('/v1/traces', Buffer.concat(ids(0x12, 8)));
    const response = await fetch(`${collector.httpUrl}/api/v1/recordings/${'08'.repeat(8)}`);
    expect(await response.json()).toMatchObject({
      resourceSpans: [
        {
          resource: { attributes: [rawAttribute(resource)] },
          scopeSpans: [
            { scope: { name: 'lib', attributes: [rawAttribute(scope)] }, spans: [{ traceId: '07'.repeat(16) }] },
          ],
        },
      ],
    });
  });

  it('travels as the bytes received in log records', async () => {
    const traceId = Buffer.concat([Buffer.from([0x4a, 16]), Buffer.alloc(16, 7)]);
    const record = Buffer.concat([traceId, unknown('of the record')]);
    await send('/v1/logs', record);
    const response = await fetch(`${collector.httpUrl}/api/v1/logs/${'07'.repeat(16)}`);
    expect(await response.json()).toMatchObject({
      resourceLogs: [{ scopeLogs: [{ logRecords: [{ attributes: [rawAttribute(record)] }] }] }],
    });
  });
});
