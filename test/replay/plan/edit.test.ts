import type { Recording, ReplayReport } from '@reenact/trace-model';
import { beforeAll, describe, expect, it } from 'vitest';
import { recordAct } from '../../serve/recorded-agent.ts';
import { startScriptedProvider } from '../../serve/scripted-provider.ts';
import { chatAnswer, json } from './answers.ts';
import { Broker, BrokerError, brokerScript } from './broker.ts';
import { type ReplayedActOptions, replayAct } from './replayed-act.ts';

let recording: Recording;

beforeAll(async () => {
  recording = await recordAct(brokerScript, new Broker().act);
});

interface Run {
  readonly report: ReplayReport & { readonly value?: unknown; readonly error?: unknown };
  readonly done: readonly string[];
}

async function run(options: ReplayedActOptions): Promise<Run> {
  const broker = new Broker();
  return { report: await replayAct(recording, broker.act, options), done: broker.done };
}

/** Everything that differs is the consequence of the only edit. */
function expectOnlyCause(report: ReplayReport, policy: string, path: string): void {
  expect(report.edits).toMatchObject([{ id: 'e1', policy, path }]);
  // What the surroundings are is told apart, and caused by nothing.
  const differing = report.divergences.filter(({ kind }) => kind !== 'environment-changed');
  expect(differing.length).toBeGreaterThan(0);
  expect(differing.map(({ kind, causedBy }) => [kind, causedBy?.divergence])).toEqual(
    differing.map(({ kind }) => [kind, 'e1']),
  );
  expect(report).toMatchObject({ verdict: 'diverged', exitCode: 1 });
}

describe('a replay without edits', () => {
  it('reproduces and lists none', async () => {
    const { report, done } = await run({});
    expect(report).toMatchObject({ verdict: 'reproduced', edits: [], divergences: [], value: { price: 190 } });
    expect(done).toEqual([]);
  });
});

describe('an edited outcome', () => {
  it('is another field of what a tool returned, types kept', async () => {
    const { report, done } = await run({ edit: ['tool:get_quote:$.price=5'] });
    expectOnlyCause(report, 'edit', 'agent:asker/tool:get_quote');
    expect(report.edits[0]?.difference).toEqual([{ path: '$.price', recorded: '190', live: '5' }]);
    expect(report.value).toMatchObject({ price: 5 });
    const [changed] = report.divergences;
    expect(changed).toMatchObject({ kind: 'input-changed', path: 'agent:asker/model:openai.chat' });
    expect(report.edits[0]?.stale).toContain('agent:asker/model:openai.chat');
    expect(report.crossings.find(({ edited }) => edited === 'edit')).toMatchObject({ answer: 'stub', stale: false });
    expect(done).toEqual([]);
  });

  it('is the whole of it, with types that JSON lacks', async () => {
    const value = { symbol: 'ACME', price: 7, asked: new Date(5), more: [undefined, 3n] };
    const { report } = await run({ edit: [{ selector: 'tool:get_quote', at: '$', value }] });
    expect(report.value).toMatchObject({ price: 7 });
    expectOnlyCause(report, 'edit', 'agent:asker/tool:get_quote');
  });

  it('is an error in the place of a value, of the class the agent knows', async () => {
    const error = new BrokerError('gone', 'GONE', 410);
    const { report } = await run({ edit: [{ selector: 'tool:get_quote', at: 'error', value: error }] });
    expectOnlyCause(report, 'edit', 'agent:asker/tool:get_quote');
    expect(report.value).toMatchObject({ price: 0 });
    expect(report.edits[0]?.difference).toContainEqual(
      expect.objectContaining({ path: '$.threw', live: expect.stringContaining('"code":"GONE","status":410') }),
    );
  });

  it('is one chunk of a stream', async () => {
    const { report } = await run({ edit: ['tool:ticks:chunks[2].price=42'] });
    expectOnlyCause(report, 'edit', 'agent:asker/tool:ticks');
    expect(report.divergences[0]?.difference?.[0]?.live).toContain('last 42');
    expect(report.divergences[0]?.causedBy?.evidence).toBe('order');
  });

  it("is a model's tool call: what the tools do with it is traced to the edit by value", async () => {
    const calls = '[{"name":"place_order","arguments":{"shares":4321}}]';
    const { report, done } = await run({ edit: [`model:openai.chat#1:toolCalls=${calls}`] });
    expectOnlyCause(report, 'edit', 'agent:asker/model:openai.chat');
    const check = report.divergences.find(({ path }) => path === 'agent:asker/guardrail:limit');
    expect(check).toMatchObject({ kind: 'input-changed', causedBy: { divergence: 'e1', evidence: 'value' } });
    expect(done).toEqual([]);
  });

  it("is a model's text, after which the agent goes no further", async () => {
    const { report } = await run({
      edit: ['model:openai.chat#1:toolCalls=[]', 'model:openai.chat#1:text="No."'],
    });
    expectOnlyCause(report, 'edit', 'agent:asker/model:openai.chat');
    expect(report.divergences.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
      'outcome-changed agent:asker',
      'unconsumed agent:asker/guardrail:limit',
      'unconsumed agent:asker/tool:place_order',
      'unconsumed agent:asker/model:openai.chat#2',
    ]);
    expect(report.value).toMatchObject({ said: 'No.' });
  });

  it('that changes nothing the agent does is reproduced, and said', async () => {
    const { report } = await run({ edit: ['tool:get_quote:$.symbol="OTHER"'] });
    expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, divergences: [] });
    expect(report.edits).toMatchObject([{ policy: 'edit', differenceTotal: 1 }]);
  });
});

describe('an edited input', () => {
  it('runs that crossing live with it, and nothing else', async () => {
    const provider = await startScriptedProvider(json(chatAnswer('Other model.')));
    try {
      const { report, done } = await run({
        edit: ['model:openai.chat#2:input.model="gpt-6"', 'model:openai.chat#2:input.messages[0].content="Be brief."'],
        liveUrl: provider.baseUrl,
      });
      expectOnlyCause(report, 'edit', 'agent:asker/model:openai.chat#2');
      expect(provider.requestCount()).toBe(1);
      expect(report.value).toMatchObject({ said: 'Other model.' });
      expect(report.divergences.map(({ kind }) => kind)).toContain('output-changed');
      expect(report.edits[0]?.difference).toContainEqual({
        path: '$.model',
        recorded: '"gpt-5-mini"',
        live: '"gpt-6"',
      });
      expect(done).toEqual([]);
    } finally {
      await provider.stop();
    }
  });

  it("changes a function's argument and leaves the rest as it was passed", async () => {
    const { report, done } = await run({ edit: ['guardrail:limit:input[0].shares=7'] });
    expect(done).toEqual(['checked 7']);
    expect(report).toMatchObject({
      verdict: 'reproduced',
      edits: [{ policy: 'edit', path: 'agent:asker/guardrail:limit' }],
    });
  });
});
