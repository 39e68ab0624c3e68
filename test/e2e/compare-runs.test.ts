import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setTradingStage, type TradingStage } from '../scenarios/trading/src/trading-stage.ts';
import { listRuns } from './small-stage.ts';

interface DiffJson {
  readonly verdict: string;
  readonly differences: readonly { status: string; left?: { path: string }; right?: { path: string } }[];
  readonly totals: Readonly<Record<string, number>>;
}

interface WhyJson {
  readonly links: readonly { reason: string; source: { path: string; part: string } }[];
  readonly origin: { type: string; place?: { jsonPath: string; excerpt: string } };
}

let stage: TradingStage;
/** Root span ids: the incident, the same request again, and the same request with the fixed guardrail. */
let incident: string;
let again: string;
let fixed: string;
let spanIds: Map<string, string>;

async function record(environment: NodeJS.ProcessEnv = {}): Promise<string> {
  await stage.node(['--import', 'reenact/register', 'app.ts'], environment);
  const [newest] = await listRuns(stage);
  return newest?.rootSpanId ?? '';
}

beforeAll(async () => {
  stage = await setTradingStage();
  incident = await record();
  again = await record();
  fixed = await record({ ORDER_SIZE_FIX: 'on' });
  const { stdout } = await stage.reenact(['show', incident, '--json']);
  const { crossings } = JSON.parse(stdout) as { crossings: { path: string; spanId: string }[] };
  spanIds = new Map(crossings.map(({ path, spanId }) => [path, spanId]));
});

afterAll(() => stage.stop());

async function diffAsJson(...parameters: string[]): Promise<{ exitCode: number; found: DiffJson }> {
  const { exitCode, stdout } = await stage.reenact(['diff', ...parameters, '--json']);
  return { exitCode, found: JSON.parse(stdout) as DiffJson };
}

describe('reenact diff', () => {
  it('finds nothing between a run and its own exported file', async () => {
    const file = join(stage.folder, 'incident.otlp.jsonl');
    await stage.reenact(['export', incident, '--out', file]);
    const result = await stage.reenact(['diff', incident, file, '--exact']);
    expect(result).toMatchObject({ exitCode: 0, stderr: '' });
    expect(result.stdout).toContain('Equal: every step was compared, and none differs.');
  });

  it('finds only the order number between two runs of one request, whatever ids the provider made', async () => {
    const { exitCode, found } = await diffAsJson(incident, again);
    expect(exitCode).toBe(1);
    expect(found.differences.map(({ status, left }) => [status, left?.path])).toEqual([
      ['outcome-changed', 'agent:trader/tool:place_order'],
      ['input-changed', 'agent:trader/model:openai.chat#3'],
    ]);
  });

  it('names the fixed guardrail first and the order that was not placed after it', async () => {
    const { found } = await diffAsJson(incident, fixed);
    expect(found.differences.map(({ status, left }) => [status, left?.path])).toEqual([
      ['outcome-changed', 'agent:trader/guardrail:order-size'],
      ['removed', 'agent:trader/tool:place_order'],
      ['input-changed', 'agent:trader/model:openai.chat#3'],
    ]);
    const { stdout } = await stage.reenact(['diff', incident, fixed]);
    expect(stdout).toContain('First: agent:trader/guardrail:order-size, outcome changed.');
    const markdown = await stage.reenact(['diff', incident, fixed, '--markdown']);
    expect(markdown.stdout).toMatch(/^## Different: 3 steps differ\.$/m);
  });

  it('refuses what it cannot read with exit code 2', async () => {
    const result = await stage.reenact(['diff', incident, 'gone.otlp.jsonl']);
    expect(result).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringMatching(/fixture-unreadable/) });
  });
});

async function whyAsJson(path: string, address: string): Promise<WhyJson> {
  const { stdout, stderr } = await stage.reenact(['why', spanIds.get(path) ?? '', address, '--json']);
  expect(stderr).toBe('');
  return JSON.parse(stdout) as WhyJson;
}

describe('reenact why', () => {
  it('follows 1,000 shares from the order through the streamed answer to what the customer wrote', async () => {
    const found = await whyAsJson('agent:trader/tool:place_order', '$[0].quantity');
    expect(found.links.map(({ reason, source }) => [reason, source.path, source.part])).toEqual([
      ['tool-call', 'agent:trader/model:openai.chat#2', 'outcome'],
      ['own-input', 'agent:trader/model:openai.chat#2', 'input'],
      ['enclosing-input', 'agent:trader', 'input'],
    ]);
    expect(found.origin).toMatchObject({ type: 'run-input', place: { jsonPath: '$[0].request' } });
    expect(found.origin.place?.excerpt).toContain('$1,000 worth');
  });

  it('names the tool whose result a message holds', async () => {
    const found = await whyAsJson('agent:trader/model:openai.chat#2', '$.messages[4].content');
    expect(found.links.map(({ source }) => source.path)).toEqual(['agent:trader/tool:get_quote']);
    expect(found.origin.type).toBe('crossing');
  });

  it('answers from a fixture file, in words', async () => {
    const file = join(stage.folder, 'why.otlp.jsonl');
    await stage.reenact(['export', incident, '--out', file]);
    const span = spanIds.get('agent:trader/tool:place_order') ?? '';
    const parameters = ['why', span, 'output:$.value', '--file', file, '--collector', 'http://127.0.0.1:1'];
    const result = await stage.reenact(parameters);
    expect(result).toMatchObject({ exitCode: 0, stderr: '' });
    expect(result.stdout).toContain('First appeared in the outcome of agent:trader/tool:place_order');
  });

  it.each([
    ['nonsense', '$', /bad-argument.*"nonsense" is not a span id/],
    ['place_order', 'quantity', /bad-argument.*does not start with \$/],
    ['place_order', '$[0].amount', /bad-argument.*members symbol, side, quantity/],
  ])('refuses %s %s with exit code 2', async (name, address, message) => {
    const result = await stage.reenact(['why', spanIds.get(`agent:trader/tool:${name}`) ?? name, address]);
    expect(result).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringMatching(message) });
  });
});
