import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ledgerDigest, ledgerRows } from '../scenarios/trading/src/ledger.ts';
import { setTradingStage, type TradingStage } from '../scenarios/trading/src/trading-stage.ts';
import { listRuns, replayAsJson } from './small-stage.ts';

let stage: TradingStage;
let rootSpanId: string;
let recordedOutput: string;

beforeAll(async () => {
  stage = await setTradingStage();
  const recorded = await stage.node(['--import', 'reenact/register', 'app.ts'], { TRADING_SHOW_CHUNKS: '1' });
  recordedOutput = recorded.stdout;
  const runs = await listRuns(stage);
  expect(runs).toHaveLength(1);
  rootSpanId = runs[0]?.rootSpanId ?? '';
});

afterAll(() => stage.stop());

describe('the incident', () => {
  it('happened: 1,000 shares are in the ledger', () => {
    expect(ledgerRows(stage.folder)).toEqual([{ symbol: 'ACME', side: 'sell', quantity: 1000, price: 190 }]);
  });

  it('is recorded whole', async () => {
    const [run] = await listRuns(stage);
    expect(run).toMatchObject({
      name: 'agent:trader',
      service: 'trading',
      status: 'ok',
      errorCount: 0,
      inputTokens: 312 + 401 + 455 + 148,
    });
    expect(run?.replayability.verdict).toBe('full');
  });
});

describe('its replay', () => {
  it('reproduces it with no provider call, no side effect and every chunk boundary', async () => {
    const requests = stage.provider.requestCount();
    const ledger = ledgerDigest(stage.folder);
    const replayed = await stage.reenact(['replay', rootSpanId, '--', 'node', 'app.ts'], { TRADING_SHOW_CHUNKS: '1' });
    expect(replayed.stderr).toBe('');
    expect(replayed.exitCode).toBe(0);
    expect(replayed.stdout.startsWith(recordedOutput)).toBe(true);
    expect(recordedOutput.split('\n').length).toBeGreaterThan(5);
    expect(stage.provider.requestCount()).toBe(requests);
    expect(ledgerDigest(stage.folder)).toBe(ledger);
  });

  it('needs neither the provider nor its key', async () => {
    const { report } = await replayAsJson(stage, rootSpanId, 'app.ts', {
      environment: { OPENAI_BASE_URL: 'http://127.0.0.1:1/v1', OPENAI_API_KEY: 'other' },
    });
    expect(report).toMatchObject({
      verdict: 'reproduced',
      divergences: [],
      counts: { live: 0, refused: 0, unconsumed: 0 },
    });
    expect(report.counts.compared).toBeGreaterThanOrEqual(10);
  });

  it('with the fixed guardrail live shows one cause, its consequences, and a stale answer', async () => {
    const requests = stage.provider.requestCount();
    const ledger = ledgerDigest(stage.folder);
    const options = { flags: ['--live', 'guardrail:order-size'], environment: { ORDER_SIZE_FIX: 'on' } };
    const { report, result } = await replayAsJson(stage, rootSpanId, 'app.ts', options);
    expect(result.exitCode).toBe(1);
    const [cause, ...consequences] = report.divergences;
    expect(cause).toMatchObject({ kind: 'output-changed', path: 'agent:trader/guardrail:order-size' });
    expect(cause?.difference).toContainEqual({ path: '$.allowed', recorded: 'true', live: 'false' });
    expect(consequences.map(({ kind, path, causedBy }) => [kind, path, causedBy?.divergence])).toEqual([
      ['input-changed', 'agent:trader/model:openai.chat#3', cause?.id],
      ['unconsumed', 'agent:trader/tool:place_order', cause?.id],
    ]);
    expect(report.outcome).toMatchObject({ equal: true, stale: true });
    expect(stage.provider.requestCount()).toBe(requests);
    expect(ledgerDigest(stage.folder)).toBe(ledger);
  });

  it('works from an exported file with no collector', async () => {
    const file = join(mkdtempSync(join(stage.folder, 'export-')), 'ticket.otlp.jsonl');
    expect((await stage.reenact(['export', rootSpanId, '--out', file])).exitCode).toBe(0);
    const { report } = await replayAsJson(stage, file, 'app.ts', { flags: ['--collector', 'http://127.0.0.1:1'] });
    expect(report.verdict).toBe('reproduced');
  });

  it('is checked for coverage', async () => {
    const checked = await stage.reenact(['check', rootSpanId, '--', 'node', 'app.ts']);
    expect(checked.stderr).toBe('');
    expect(checked.stdout).toMatch(/Exit code 0\n\n\d+ of \d+ recorded crossings/);
    expect(checked.exitCode).toBe(0);
  });
});
