import { EDIT_PARTS, type EditTarget, type Failure, POLICIES, type Policy } from '@reenact/replay';
import type { ReplayReport } from '@reenact/trace-model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ScriptedProvider, startScriptedProvider } from '../../serve/scripted-provider.ts';
import { chatAnswer, chatStream, events, json, messageItem, responseAnswer, responseStream } from '../plan/answers.ts';
import { expectInEveryFormat, TableStage } from './table-stage.ts';

/** What a policy does with one crossing. */
interface PolicyCase {
  readonly flags: readonly string[];
  /** Path of the crossing below the run, and how it was answered. */
  readonly path: string;
  readonly answer: 'stub' | 'live' | 'rerun' | 'refused';
  readonly exitCode: 0 | 1 | 3;
  /** How often code of a boundary ran. */
  readonly ran?: number;
  /** What the agent prints, as JSON: the members that tell. */
  readonly gave?: object;
  /** The kind of what the edit led to; absent: to nothing. */
  readonly ledTo?: string;
  /** How the change itself is reported. */
  readonly edit?: { readonly recorded?: string; readonly live?: string | RegExp };
}

const plain: Readonly<Record<Exclude<Policy, 'edit' | 'fail'>, PolicyCase>> = {
  stub: { flags: ['--stub', 'agent:helper'], path: '/agent:helper', answer: 'stub', exitCode: 0 },
  live: { flags: ['--live', 'tool:look'], path: '/tool:look#2', answer: 'live', exitCode: 0, ran: 3 },
  forbid: { flags: ['--forbid', 'tool:note'], path: '/tool:note', answer: 'refused', exitCode: 3 },
};

const firstLook = '/tool:look';

/** The edits of what a function gave; those of a model's words are below. */
const edits: Readonly<Record<Exclude<EditTarget['part'], 'text' | 'toolCalls'>, PolicyCase>> = {
  $: {
    flags: ['--edit', 'tool:look#1:$.price=5'],
    path: firstLook,
    answer: 'stub',
    exitCode: 1,
    gave: { price: 195 },
    ledTo: 'outcome-changed',
    edit: { recorded: '190', live: '5' },
  },
  error: {
    flags: ['--edit', 'tool:look#1:error={"class":"RangeError","message":"no such item"}'],
    path: firstLook,
    answer: 'stub',
    exitCode: 1,
    gave: { price: null },
    ledTo: 'outcome-changed',
    edit: { live: /RangeError.*no such item/ },
  },
  chunks: {
    flags: ['--edit', 'tool:ticks:chunks[1].price=42'],
    path: '/tool:ticks',
    answer: 'stub',
    exitCode: 1,
    gave: { seen: [189, 42] },
    ledTo: 'outcome-changed',
    edit: { recorded: '190', live: '42' },
  },
  input: {
    flags: ['--edit', 'tool:look#1:input[0].item="z"'],
    path: firstLook,
    answer: 'live',
    exitCode: 1,
    ran: 1,
    gave: { price: 380 },
    ledTo: 'output-changed',
    edit: { recorded: '"a"', live: '"z"' },
  },
};

const failures: Readonly<Record<Exclude<Failure['type'], 'status'>, PolicyCase>> = {
  error: {
    flags: ['--fail', 'tool:look#1:error={"class":"RangeError","message":"none","code":"E1"}'],
    path: firstLook,
    answer: 'stub',
    exitCode: 1,
    gave: { price: null },
    ledTo: 'outcome-changed',
    edit: { live: /RangeError.*none/ },
  },
  timeout: {
    flags: ['--fail', 'tool:ticks:timeout'],
    path: '/tool:ticks',
    answer: 'stub',
    exitCode: 1,
    gave: { seen: ['TimeoutError'] },
    ledTo: 'outcome-changed',
  },
  truncate: {
    flags: ['--fail', 'tool:ticks:truncate=1'],
    path: '/tool:ticks',
    answer: 'stub',
    exitCode: 1,
    gave: { seen: [189, 'Error'] },
    ledTo: 'outcome-changed',
  },
};

// A replay is two processes, on a machine that may be busy.
const caseMs = 120_000;

function expectEdit(report: ReplayReport, { path, ledTo, edit }: PolicyCase, policy: 'edit' | 'fail'): void {
  expect(report.edits).toMatchObject([{ id: 'e1', policy, path: expect.stringContaining(path) }]);
  const [change] = report.edits;
  if (change === undefined) throw new TypeError('No edit was reported.');
  expectInEveryFormat(report, change);
  if (edit !== undefined) {
    const entries = change.difference ?? [];
    const live = edit.live instanceof RegExp ? expect.stringMatching(edit.live) : edit.live;
    expect(entries).toContainEqual(expect.objectContaining({ ...edit, ...(live === undefined ? {} : { live }) }));
  }
  const [first] = report.divergences;
  expect(first).toMatchObject({ kind: ledTo, causedBy: { divergence: 'e1' } });
}

describe('policies for functions', () => {
  let table: TableStage;

  beforeAll(async () => {
    table = await TableStage.set('clerk.ts');
  });

  afterAll(() => table.stage.stop());

  async function replayed(row: PolicyCase): Promise<ReplayReport> {
    const { report, result } = await table.replay({ flags: row.flags });
    expect(result.exitCode).toBe(row.exitCode);
    const met = report.crossings.find(({ path }) => path === `agent:clerk${row.path}`);
    expect(met?.answer).toBe(row.answer);
    expect(result.stderr.match(/ran for real/g)?.length ?? 0).toBe(row.ran ?? 0);
    if (row.gave !== undefined) {
      const printed = result.stderr.split('\n').find((line) => line.startsWith('{')) ?? '';
      expect(JSON.parse(printed)).toMatchObject(row.gave);
    }
    return report;
  }

  it('each have a case', () => {
    expect([...Object.keys(plain), 'edit', 'fail'].sort()).toEqual([...POLICIES].sort());
    expect([...Object.keys(edits), 'text', 'toolCalls'].sort()).toEqual([...EDIT_PARTS].sort());
  });

  it.each(Object.entries(plain))(
    '%s',
    async (policy, row) => {
      const report = await replayed(row);
      expect(report.edits).toEqual([]);
      expect(report.divergences.filter(({ kind }) => kind === 'forbidden')).toHaveLength(policy === 'forbid' ? 1 : 0);
      if (row.exitCode === 0) expect(report.divergences).toEqual([]);
    },
    caseMs,
  );

  it.each(Object.entries(edits))(
    'edit %s',
    async (_, row) => {
      expectEdit(await replayed(row), row, 'edit');
    },
    caseMs,
  );

  it.each(Object.entries(failures))(
    'fail %s',
    async (_, row) => {
      expectEdit(await replayed(row), row, 'fail');
    },
    caseMs,
  );

  it(
    'do not make a write live by a pattern',
    async () => {
      const result = await table.run({ flags: ['--live', 'tool:n*'] });
      expect(result.exitCode).toBe(2);
      expect(result.stderr).toMatch(/bad-plan[\s\S]*tool:note/);
      expect(result.stdout).not.toContain('for real');
    },
    caseMs,
  );
});

describe("policies for a model's answer", () => {
  let provider: ScriptedProvider;
  let table: TableStage;

  beforeAll(async () => {
    const answers = {
      chat: [json(chatAnswer('Yes.')), events(chatStream(['Y', 'es.']))],
      responses: [json(responseAnswer([messageItem('Yes.')])), events(responseStream([messageItem('Yes.')]))],
    } as const;
    provider = await startScriptedProvider((response, body, number) => {
      const { stream, input } = JSON.parse(body) as { stream?: boolean; input?: string };
      const [whole, streamed] = answers[input === undefined ? 'chat' : 'responses'];
      return (stream === true ? streamed : whole)(response, body, number);
    });
    table = await TableStage.set('asker.ts', { OPENAI_API_KEY: 'none', OPENAI_BASE_URL: provider.baseUrl });
  });

  afterAll(async () => {
    await table.stage.stop();
    await provider.stop();
  });

  it(
    'edit its text in each protocol, plain and streamed, and send nothing',
    async () => {
      const names = ['openai.chat#1', 'openai.chat#2', 'openai.responses#1', 'openai.responses#2'];
      const flags = names.flatMap((name, index) => ['--edit', `model:${name}:text="No ${index}."`]);
      const before = provider.requestCount();
      const { report, result } = await table.replay({ flags });
      expect(result.stderr).toContain('["No 0.","No 1.","No 2.","No 3."]');
      expect(report.edits.map(({ policy }) => policy)).toEqual(['edit', 'edit', 'edit', 'edit']);
      expect(report.divergences).toMatchObject([{ kind: 'outcome-changed', causedBy: { divergence: 'e4' } }]);
      expect(result.exitCode).toBe(1);
      expect(provider.requestCount()).toBe(before);
    },
    caseMs,
  );

  it(
    'put tool calls beside its words',
    async () => {
      const flags = ['--edit', 'model:openai.chat#1:toolCalls=[{"name":"sell","arguments":{"shares":5}}]'];
      const { report, result } = await table.replay({ flags });
      expect(report.edits).toMatchObject([{ policy: 'edit', path: 'agent:asker/model:openai.chat' }]);
      expect(report.edits[0]?.difference?.map(({ live }) => live).join()).toContain('sell');
      for (const edit of report.edits) expectInEveryFormat(report, edit);
      // The agent looks at the words only, and these stay: it goes the same way in spite of the edit.
      expect(report).toMatchObject({ verdict: 'reproduced', divergences: [] });
      expect([result.exitCode, report.exitCode]).toEqual([0, 0]);
    },
    caseMs,
  );

  it(
    'answer it with a status, as which the client throws it',
    async () => {
      const before = provider.requestCount();
      const { report, result } = await table.replay({ flags: ['--fail', 'model:openai.chat#1:status=429'] });
      expect(result.exitCode).toBe(1);
      expect(report.edits).toMatchObject([{ policy: 'fail', path: 'agent:asker/model:openai.chat' }]);
      expect(report.divergences[0]).toMatchObject({ kind: 'outcome-changed', causedBy: { divergence: 'e1' } });
      expect(result.stderr).toContain('RateLimitError');
      expect(provider.requestCount()).toBe(before);
    },
    caseMs,
  );
});
