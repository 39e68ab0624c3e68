import type { RunningCollector } from '@reenact/collector';
import { type CollectorClient, createCollectorClient } from '@reenact/collector-client';
import { assembleRecording } from '@reenact/dialects';
import type { Span } from '@reenact/otlp';
import {
  ATTR_GEN_AI_OPERATION_NAME,
  ATTR_GEN_AI_PROVIDER_NAME,
  ATTR_GEN_AI_RESPONSE_MODEL,
  ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS,
  ATTR_GEN_AI_USAGE_INPUT_TOKENS,
  ATTR_GEN_AI_USAGE_OUTPUT_TOKENS,
} from '@reenact/semconv/gen-ai';
import { encodeValue } from '@reenact/trace-model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeSpan, spanIdOf, Testbed, traceIdOf } from '../testbed.ts';
import { countAttributes, crossingSpan, send } from './run-corpus.ts';

const testbed = new Testbed();
let collector: RunningCollector;

/** A model call that used tokens. */
function modelCall(trace: number, span: number, model: string, counts: Readonly<Record<string, number>>) {
  const attributes = {
    [ATTR_GEN_AI_OPERATION_NAME]: 'chat',
    [ATTR_GEN_AI_PROVIDER_NAME]: 'acme',
    [ATTR_GEN_AI_RESPONSE_MODEL]: model,
  };
  const call = crossingSpan({ trace, span, parent: trace * 10, kind: 'model', name: 'acme.chat', attributes });
  return { ...call, attributes: [...(call.attributes ?? []), ...countAttributes(counts)] };
}

const PRICES = {
  currency: 'EUR',
  models: [
    { model: 'm-1*', provider: 'acme', inputPerMillion: 2, outputPerMillion: 10, cacheReadPerMillion: 1 },
    { model: 'm-1', inputPerMillion: 1000, outputPerMillion: 1000 },
  ],
};

/** A run that failed in a tool: the agent threw its error on. */
function failedRun(trace: number, message: string): Span[] {
  const { data = '', digest } = encodeValue(new RangeError(message)).payload;
  const attributes = {
    'reenact.outcome': 'threw',
    'reenact.output': '',
    'reenact.error': data,
    'reenact.error.digest': digest,
    'error.type': 'RangeError',
  };
  const members = { status: { code: 2, message } } as const;
  const at = { trace, attributes, members };
  return [
    crossingSpan({ ...at, span: trace * 10, kind: 'agent', name: 'clerk' }),
    crossingSpan({ ...at, span: trace * 10 + 1, parent: trace * 10, name: 'refund', input: [{ usd: 'none' }] }),
  ];
}

beforeAll(async () => {
  collector = await testbed.start({ prices: PRICES });
  const input = ATTR_GEN_AI_USAGE_INPUT_TOKENS;
  const output = ATTR_GEN_AI_USAGE_OUTPUT_TOKENS;
  await send(collector.httpUrl, [
    crossingSpan({ trace: 1, span: 10, kind: 'agent', name: 'trader', input: ['sell'], output: 'sold' }),
    modelCall(1, 11, 'm-1-mini', {
      [input]: 1_000_000,
      [ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS]: 400_000,
      [output]: 100_000,
    }),
    modelCall(1, 12, 'm-2', { [input]: 5, [output]: 7 }),
    makeSpan({
      traceId: traceIdOf(1),
      spanId: spanIdOf(13),
      parentSpanId: spanIdOf(12),
      name: 'POST',
      endTimeUnixNano: '0',
    }),
  ]);
  await send(collector.httpUrl, [
    crossingSpan({ trace: 2, span: 20, kind: 'agent', name: 'trader', atSecond: 9 }),
    modelCall(2, 21, 'm-1-mini', { [input]: 1_000_000 }),
  ]);
});
afterAll(() => testbed.dispose());

describe('GET /api/v1/runs/{id}', () => {
  it('is the tree of a run by any of its ids: crossings in order, then all other spans', async () => {
    const client = createCollectorClient({ url: collector.httpUrl });
    const tree = await client.getRun(spanIdOf(13));
    expect(tree.run).toMatchObject({ traceId: traceIdOf(1), name: 'agent:trader', crossingCount: 3, spanCount: 4 });
    expect(tree.crossings.map(({ path }) => path)).toEqual([
      'agent:trader',
      'agent:trader/model:acme.chat',
      'agent:trader/model:acme.chat#2',
    ]);
    expect(tree.crossings[0]).toMatchObject({ input: 'sell', output: 'sold', outcome: 'returned', durationMs: 5 });
    expect(tree.crossings[2]).toMatchObject({
      parentSpanId: spanIdOf(10),
      model: 'm-2',
      inputTokens: 5,
      outputTokens: 7,
    });
    expect(tree.crossings.map(({ cost }) => cost)).toEqual([
      undefined,
      { amount: 2.6, currency: 'EUR' },
      { amount: 0, currency: 'EUR', unpricedModels: ['m-2'] },
    ]);
    expect(tree.otherSpans).toMatchObject([{ spanId: spanIdOf(13), parentSpanId: spanIdOf(12), name: 'POST' }]);
    expect(tree.otherSpans[0]).not.toHaveProperty('durationMs');
    expect(tree.replay).toBe(`replay ${spanIdOf(10)} -- <the command that starts your agent>`);
    expect(await client.getRun(traceIdOf(1))).toEqual(tree);
  });

  it('says which span made the run fail, and why', async () => {
    const client = createCollectorClient({ url: collector.httpUrl });
    await send(collector.httpUrl, failedRun(5, 'the amount must be positive'));
    const { run, failure } = await client.getRun(traceIdOf(5));
    expect(run.status).toBe('error');
    expect(failure).toEqual({
      spanId: spanIdOf(51),
      name: 'tool:refund',
      error: 'RangeError: the amount must be positive',
      input: '{"usd":"none"}',
    });
    expect(await client.getRun(traceIdOf(1))).not.toHaveProperty('failure');
  });

  it('says of a crossing the service that it was called in, where that is not that of the run', async () => {
    const { httpUrl } = await testbed.start();
    await send(httpUrl, [crossingSpan({ trace: 1, span: 1, kind: 'agent', name: 'clerk' })]);
    await send(httpUrl, [crossingSpan({ trace: 1, span: 2, parent: 1, kind: 'http', name: 'POST /pay' })], 'ledger');
    const { run, crossings } = await createCollectorClient({ url: httpUrl }).getRun(traceIdOf(1));
    expect(run.service).toBe('shop');
    expect(crossings.map(({ service }) => service)).toEqual([undefined, 'ledger']);
  });

  it('says that there is none', async () => {
    const client = createCollectorClient({ url: collector.httpUrl });
    await expect(client.getRun(spanIdOf(99))).rejects.toMatchObject({ code: 'not-found' });
    await expect(client.getRun('nonsense')).rejects.toMatchObject({ code: 'bad-request' });
  });
});

/** Spans of a run that is larger than a tree is made in one go of where memory is scarce: one is no crossing, one is small. */
function largeRun(): Span[] {
  const text = 'x'.repeat(1_000_000);
  const tools = Array.from({ length: 40 }, (_, number) =>
    crossingSpan({ trace: 1, span: 100 + number, parent: 10, kind: 'tool', name: 'look_up', output: text }),
  );
  return [
    crossingSpan({ trace: 1, span: 10, kind: 'agent', name: 'trader', input: ['sell'], output: 'sold' }),
    ...tools,
    modelCall(1, 200, 'm-1-mini', { [ATTR_GEN_AI_USAGE_INPUT_TOKENS]: 5 }),
    makeSpan({ traceId: traceIdOf(1), spanId: spanIdOf(300), parentSpanId: spanIdOf(10), name: 'POST' }),
  ];
}

describe('a run that is too large to be held', () => {
  let client: CollectorClient;
  beforeAll(async () => {
    const { httpUrl } = await testbed.start({ memoryBytesMax: 256 * 1024 * 1024 });
    client = createCollectorClient({ url: httpUrl });
    for (const span of largeRun()) await send(httpUrl, [span]);
  });

  it('has a tree of outlines, and each crossing says what was left out', async () => {
    const tree = await client.getRun(traceIdOf(1));
    expect(tree).toMatchObject({ isOutline: true, run: { traceId: traceIdOf(1), spanCount: 43, crossingCount: 42 } });
    expect(tree).not.toHaveProperty('leftOutSpans');
    expect(tree.replay).toBe(`replay ${spanIdOf(10)} -- <the command that starts your agent>`);
    expect(tree.crossings.map(({ path }) => path)).toHaveLength(42);
    expect(tree.crossings[0]).toMatchObject({
      path: 'agent:trader',
      outcome: 'returned',
      leftOutBytes: expect.any(Number),
    });
    expect(tree.crossings[2]).toMatchObject({
      spanId: spanIdOf(101),
      parentSpanId: spanIdOf(10),
      path: 'agent:trader/tool:look_up#2',
      durationMs: 5,
      input: '(left out: the run is too large)',
      output: '(left out: the run is too large)',
    });
    expect(tree.crossings[2]?.leftOutBytes).toBeGreaterThan(1_000_000);
    expect(tree.crossings.at(-1)).toMatchObject({ operation: 'chat', model: 'm-1-mini', inputTokens: 5 });
    expect(tree.otherSpans).toMatchObject([{ spanId: spanIdOf(300), name: 'POST', status: 'ok' }]);
  });

  it('says how it failed, of which no more is known than its spans say', async () => {
    const { httpUrl } = await testbed.start({ memoryBytesMax: 256 * 1024 * 1024 });
    const text = 'x'.repeat(1_000_000);
    const [agent, ...failed] = failedRun(1, 'the amount must be positive');
    const tools = Array.from({ length: 40 }, (_, number) =>
      crossingSpan({ trace: 1, span: 100 + number, parent: 10, name: 'look_up', output: text }),
    );
    for (const span of [...(agent === undefined ? [] : [agent]), ...tools, ...failed]) await send(httpUrl, [span]);
    const tree = await createCollectorClient({ url: httpUrl }).getRun(traceIdOf(1));
    expect(tree.isOutline).toBe(true);
    expect(tree.failure).toEqual({ spanId: spanIdOf(11), name: 'tool:refund', error: 'the amount must be positive' });
  });

  it('gives what was said one span at a time', async () => {
    const [, , crossing] = (await client.getRun(traceIdOf(1))).crossings;
    const { crossings } = assembleRecording(await client.getSpan(crossing?.spanId ?? ''));
    expect(crossings.map(({ spanId }) => spanId)).toEqual([spanIdOf(101)]);
    expect(crossings[0]?.outcome).toMatchObject({ value: { data: JSON.stringify('x'.repeat(1_000_000)) } });
    const inTrace = await client.getSpan(spanIdOf(101), { trace: traceIdOf(1) });
    expect(assembleRecording(inTrace).crossings).toEqual(crossings);
  });

  it('says which span there is none of', async () => {
    await expect(client.getSpan(spanIdOf(999))).rejects.toMatchObject({ code: 'not-found' });
    await expect(client.getSpan(spanIdOf(101), { trace: traceIdOf(2) })).rejects.toMatchObject({
      code: 'not-found',
      message: `There is no span ${spanIdOf(101)} in the trace ${traceIdOf(2)}.`,
    });
    await expect(client.getSpan(traceIdOf(1))).rejects.toMatchObject({ code: 'bad-request' });
  });
});

describe('usage and cost', () => {
  it('are counted by model, priced by the first price that fits, and open where none does', async () => {
    const client = createCollectorClient({ url: collector.httpUrl });
    const { runs } = await client.listRuns({ trace: traceIdOf(1) });
    // 600,000 × 2 + 400,000 × 1 + 100,000 × 10, each for a million.
    expect(runs[0]?.cost).toEqual({ amount: 2.6, currency: 'EUR', unpricedModels: ['m-2'] });
    expect(await client.sumUsage({ agent: 'trader' })).toEqual({
      runs: 2,
      inputTokens: 2_000_005,
      outputTokens: 100_007,
      models: [
        {
          model: 'm-1-mini',
          provider: 'acme',
          calls: 2,
          inputTokens: 2_000_000,
          outputTokens: 100_000,
          cacheReadTokens: 400_000,
        },
        { model: 'm-2', provider: 'acme', calls: 1, inputTokens: 5, outputTokens: 7 },
      ],
      cost: { amount: 4.6, currency: 'EUR', unpricedModels: ['m-2'] },
    });
    expect(await client.sumUsage({ model: 'm-2' })).toMatchObject({ runs: 1 });
  });

  it('are told wherever a run is: of one that is found by its words, and of one that is followed', async () => {
    const client = createCollectorClient({ url: collector.httpUrl });
    const { found } = await client.searchRuns({ text: 'sold', trace: traceIdOf(1) });
    expect(found.map(({ run }) => run.cost?.amount)).toEqual([2.6]);
    const options = { signal: new AbortController().signal, lastEventId: '0' };
    for await (const { data } of client.followRuns({ model: 'm-2' }, options)) {
      expect(data).toMatchObject({ traceId: traceIdOf(1), cost: { amount: 2.6 } });
      break;
    }
  });

  it('never have a price that nobody gave', async () => {
    const { httpUrl } = await testbed.start();
    await send(httpUrl, [modelCall(1, 11, 'gpt-4o', { [ATTR_GEN_AI_USAGE_INPUT_TOKENS]: 10 })]);
    const client = createCollectorClient({ url: httpUrl });
    expect((await client.listRuns()).runs[0]).not.toHaveProperty('cost');
    expect(await client.sumUsage()).not.toHaveProperty('cost');
  });
});

describe('statistics', () => {
  it('count cold cases by cause, as they become cold, warm, or are deleted', async () => {
    const started = await testbed.start();
    const client = createCollectorClient({ url: started.httpUrl });
    const coldOf = async () => {
      await client.listRuns();
      const { store } = await started.stats();
      return [store.coldTraces, store.coldByCause];
    };
    const damaged = { 'reenact.output': 'cut' };
    const pending = { 'reenact.outcome': 'pending', 'reenact.output': '' };
    await send(started.httpUrl, [crossingSpan({ trace: 1, span: 1, attributes: damaged })]);
    await send(started.httpUrl, [
      crossingSpan({ trace: 2, span: 2, kind: 'model', attributes: { ...pending, 'reenact.call': 'x' } }),
    ]);
    expect(await coldOf()).toEqual([1, { damaged: 1 }]);
    await send(started.httpUrl, [
      crossingSpan({ trace: 3, span: 3 }),
      crossingSpan({ trace: 4, span: 4, attributes: damaged }),
    ]);
    expect(await coldOf()).toEqual([2, { damaged: 2 }]);
    const metrics = await (await fetch(`${started.httpUrl}/metrics`)).text();
    expect(metrics).toContain('reenact_collector_cold_traces_by_cause{cause="damaged"} 2');
  });
});
