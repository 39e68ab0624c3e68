import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { agent, guardrail, tool } from '@reenact/instrumentation';
import { buildRecording } from '@reenact/recordings/testing';
import type { Recording } from '@reenact/trace-model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RUN_TAIL_MS_MAX } from './limits.ts';
import { replay } from './replay.ts';

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});

afterAll(() => {
  context.disable();
});

const trading = buildRecording({
  label: 'agent:trader',
  input: ['sell $1,000 worth'],
  output: 'sold 1000 shares',
  children: [
    { label: 'tool:get_quote', input: ['ACME'], output: { price: 190 }, effect: 'read', settled: 0 },
    { label: 'guardrail:order-size', input: [{ shares: 1000 }], output: { allowed: true, reason: 'within limits' } },
    { label: 'tool:place_order', input: [{ shares: 1000 }], output: { id: 7 } },
    { label: 'tool:summarise', input: ['within limits'], output: 'sold 1000 shares', effect: 'read' },
  ],
});

function tradingAgent(limit: number): { run: () => Promise<string>; orders: number[] } {
  const orders: number[] = [];
  const quote = tool('get_quote', async (symbol: string): Promise<{ price: number }> => {
    throw new TypeError(`no network for ${symbol}`);
  });
  const check = guardrail('order-size', async (order: { shares: number }) =>
    order.shares > limit
      ? { allowed: false, reason: `blocked: over ${limit} shares` }
      : { allowed: true, reason: 'within limits' },
  );
  const place = tool('place_order', async (order: { shares: number }) => {
    orders.push(order.shares);
    return { id: orders.length };
  });
  const summarise = tool('summarise', async (reason: string) => `live ${reason}`);
  const trader = agent('trader', async (_request: string) => {
    const { price } = await quote('ACME');
    const order = { shares: price > 0 ? 1000 : 0 };
    const verdict = await check(order);
    if (verdict.allowed) await place(order);
    return await summarise(verdict.reason);
  });
  return { run: () => trader('sell $1,000 worth'), orders };
}

describe('a replay that stops at the first divergence', () => {
  it('names it as the cause of what it threw, and of all that was not reached', async () => {
    const asks = tool('ask', async (_what: string) => 'for real');
    const run = agent('asker', async () => [await asks('changed'), await asks('second')]);
    const recording = buildRecording({
      label: 'agent:asker',
      output: ['one', 'two'],
      children: [
        { label: 'tool:ask', input: ['first'], output: 'one' },
        { label: 'tool:ask', input: ['second'], output: 'two' },
      ],
    });
    const report = await replay({ recording, run, stopOnDivergence: true });
    expect(report.divergences.map(({ kind, causedBy }) => [kind, causedBy?.divergence])).toEqual([
      ['input-changed', undefined],
      ['outcome-changed', 'd1'],
      ['unconsumed', 'd1'],
    ]);
    expect(report).toMatchObject({ verdict: 'diverged', exitCode: 1, error: { code: 'replay-refused' } });
  });
});

describe('replay', () => {
  it('re-runs the agent with what was recorded, and touches nothing', async () => {
    const { run, orders } = tradingAgent(5000);
    const report = await replay({ recording: trading, run });
    expect(report.divergences).toEqual([]);
    expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, value: 'sold 1000 shares' });
    expect(report.counts).toMatchObject({ recorded: 5, stubbed: 4, rerun: 1, live: 0, unconsumed: 0, compared: 5 });
    expect(orders).toEqual([]);
  });

  it('shows one cause and its consequences when a guardrail is run live with a fix', async () => {
    const { run, orders } = tradingAgent(500);
    const report = await replay({ recording: trading, run, live: ['guardrail:order-size'] });
    expect(orders).toEqual([]);
    expect(report).toMatchObject({ verdict: 'diverged', exitCode: 1 });
    const causes = report.divergences.filter(({ causedBy }) => causedBy === undefined);
    expect(causes).toMatchObject([
      {
        kind: 'output-changed',
        path: 'agent:trader/guardrail:order-size',
        source: { file: import.meta.filename },
        stale: ['agent:trader/tool:summarise'],
      },
    ]);
    expect(report.divergences.slice(1).map(({ kind, path, causedBy }) => [kind, path, causedBy?.evidence])).toEqual([
      ['input-changed', 'agent:trader/tool:summarise', 'value'],
      ['unconsumed', 'agent:trader/tool:place_order', 'order'],
    ]);
    expect(report.outcome).toMatchObject({ equal: true, stale: true });
  });

  it('does not call an answer stale that rests on no stale stub', async () => {
    const check = guardrail('order-size', () => ({ allowed: false, reason: 'blocked' }));
    const trader = agent('trader', async (_request: string) => check().reason);
    const { outcome } = await replay({
      recording: trading,
      run: () => trader('sell $1,000 worth'),
      live: ['guardrail:order-size'],
    });
    expect(outcome).toMatchObject({ equal: false, stale: false });
  });

  it('gives back what run threw, and what the agent was refused', async () => {
    const unknown = tool('unknown', async () => 'never');
    const trader = agent('trader', async (_request: string) => unknown());
    const report = await replay({ recording: trading, run: () => trader('sell $1,000 worth') });
    expect(report.error).toMatchObject({ code: 'replay-refused', message: expect.stringContaining('tool:unknown') });
    expect(report.verdict).toBe('nothing-compared');
    expect(report.divergences[0]?.kind).toBe('never-recorded');
  });

  it('re-runs one tool of a run', async () => {
    const recording = buildRecording({
      label: 'agent:a',
      children: [{ label: 'tool:outer', input: [2], output: 6, children: [{ label: 'tool:inner', output: 3 }] }],
    });
    const inner = tool('inner', async (): Promise<number> => {
      throw new TypeError('not for real');
    });
    const outer = tool('outer', async (factor: number) => factor * (await inner()));
    const rootSpanId = recording.crossings[1]?.spanId;
    const report = await replay({ recording, rootSpanId, run: () => outer(2) });
    expect(report).toMatchObject({ verdict: 'reproduced', value: 6, rootPath: 'agent:a/tool:outer' });
  });
});

describe('a run that went on after its end', () => {
  const recording = buildRecording({
    label: 'agent:a',
    startUs: 0,
    endUs: 1_000,
    output: 'first',
    children: [
      { label: 'tool:slow', input: [1], output: 'slow', startUs: 100, endUs: 40_000, settled: 1 },
      { label: 'tool:note', input: ['slow'], output: 'noted', startUs: 41_000, endUs: 42_000, settled: 2 },
    ],
  });
  const slow = tool('slow', async (_what: number) => 'for real');
  const note = tool('note', async (_what: string) => 'for real');

  it('is waited for, and what it does then is compared', async () => {
    const going = agent('a', async () => {
      void slow(1).then(note);
      return 'first';
    });
    const report = await replay({ recording, run: () => going() });
    expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, divergences: [] });
  });

  it('is told where it does not go on', async () => {
    const ending = agent('a', async () => {
      void slow(1);
      return 'first';
    });
    const report = await replay({ recording, run: () => ending() });
    expect(report.divergences).toMatchObject([{ kind: 'unconsumed', path: 'agent:a/tool:note' }]);
  });

  it('is not waited for where nothing is under way any more, however long it went on when it was recorded', async () => {
    const long = buildRecording({
      label: 'agent:a',
      startUs: 0,
      endUs: 1_000,
      output: 'first',
      children: [{ label: 'tool:note', input: ['slow'], output: 'noted', startUs: 60_000_000, endUs: 60_000_100 }],
    });
    const ending = agent('a', async () => 'first');
    const report = await replay({ recording: long, run: () => ending() });
    expect(report.divergences).toMatchObject([{ kind: 'unconsumed', path: 'agent:a/tool:note' }]);
    expect(report.durationMs).toBeLessThan(RUN_TAIL_MS_MAX - 1_000);
  });
});

describe('a replay that is refused before run is called', () => {
  const run = (): never => {
    throw new TypeError('must not run');
  };
  it.each([
    ['bad-plan', { recording: trading, live: ['guardrail:order-sise'] }],
    ['bad-plan', { recording: trading, file: { version: 1 as const, telemetryHosts: ['telemetry.example'] } }],
    ['not-found', { recording: trading, rootSpanId: 'ffffffffffffffff' }],
    ['bad-argument', { recording: buildRecording([{ label: 'agent:a' }, { label: 'agent:b' }]) }],
    ['bad-argument', { recording: { recording: buildRecording({ label: 'agent:a' }) } as unknown as Recording }],
  ])('%s', async (code, options) => {
    await expect(replay({ ...options, run })).rejects.toMatchObject({ code });
  });
});
