import { fromMap } from '@reenact/otlp';
import { ATTR_PROCESS_PID, ATTR_SERVICE_VERSION, ATTR_VCS_REF_HEAD_REVISION } from '@reenact/semconv/core';
import { ATTR_GEN_AI_OUTPUT_MESSAGES, ATTR_GEN_AI_RESPONSE_MODEL } from '@reenact/semconv/gen-ai';
import { ATTR_REENACT_MODE, ATTR_REENACT_OUTPUT } from '@reenact/semconv/reenact';
import { describe, expect, it } from 'vitest';
import { chatCompletion, modelExchange, toolCall } from '../testdata/model-exchange.ts';
import { buildRecording, type CrossingPlan } from '../testdata/recording-builder.ts';
import { type DiffInput, type DiffOptions, diffRecordings } from './diff-recordings.ts';
import type { RecordingDiff } from './recording-diff.ts';

function input(
  children: readonly CrossingPlan[],
  resource: Record<string, string> = {},
  root = 'agent:trader',
  output = 'done',
): DiffInput {
  const plan: CrossingPlan = { label: root as 'agent:trader', children, output };
  const recording = buildRecording(plan, fromMap(Object.entries(resource)));
  return { recording, rootSpanId: recording.roots[0]?.spanId ?? '' };
}

function diff(left: readonly CrossingPlan[], right: readonly CrossingPlan[], options?: DiffOptions): RecordingDiff {
  return diffRecordings(input(left), input(right), options);
}

const quote: CrossingPlan = { label: 'tool:get_quote', input: [{ symbol: 'ACME' }], output: { price: 190 } };
const order: CrossingPlan = { label: 'tool:place_order', input: [{ shares: 1_000 }], output: { orderId: 1 } };
const check: CrossingPlan = { label: 'guardrail:order-size', input: [1_000], output: { allowed: true } };

/** One turn of a conversation in which the model asked for a tool, with the ids a provider made for it. */
function turn(ids: { answer: string; call: string }, text = 'What is ACME at?'): CrossingPlan[] {
  const call = toolCall(ids.call, 'get_quote', { symbol: 'ACME' });
  const messages = [{ role: 'user', content: text }];
  const later = [
    { role: 'assistant', tool_calls: [call] },
    { role: 'tool', tool_call_id: ids.call, content: '190' },
  ];
  const model = (input: object[], answer: object): CrossingPlan => ({
    label: 'model:openai.chat',
    call: 'exchange',
    canonical: 'model-request/1',
    input: { model: 'gpt-5-mini', messages: input },
    exchanges: [modelExchange(answer)],
    without: [ATTR_REENACT_OUTPUT],
  });
  return [
    model(messages, chatCompletion(`chatcmpl-${ids.answer}`, [call])),
    { ...quote, toolCallId: ids.call },
    model([...messages, ...later], chatCompletion(`chatcmpl-${ids.answer}-2`, 'It is at $190.')),
  ];
}

describe('a comparison with a replay', () => {
  const inside: CrossingPlan = { ...quote, children: [{ label: 'database:get', input: ['ACME'], output: 190 }] };
  const served: CrossingPlan = { ...quote, attributes: { [ATTR_REENACT_MODE]: 'stub' } };
  const refused: CrossingPlan = { ...check, output: { allowed: false } };

  it('leaves out what is inside of a call that was served whole, on whichever side', () => {
    for (const found of [diff([inside, check], [served, refused]), diff([served, check], [inside, refused])]) {
      expect(found.differences).toMatchObject([{ status: 'outcome-changed' }]);
      expect(found.notes.join()).toContain('1 crossing is inside of calls that a replay served whole');
    }
    expect(diff([inside], [served]).verdict).toBe('unverified');
  });

  it('compares what ran, and what a live run lacks', () => {
    expect(diff([inside], [quote]).differences).toMatchObject([{ status: 'removed' }]);
  });
});

describe('a comparison', () => {
  it('finds a call at another place and calls it moved', () => {
    const found = diff([quote, check, order], [check, order, quote]);
    expect(found.differences).toMatchObject([
      {
        status: 'equal',
        moved: true,
        left: { path: 'agent:trader/tool:get_quote' },
        right: { spanId: '0000000000000004' },
      },
    ]);
    expect(found.totals).toMatchObject({ equal: 4, moved: 1, removed: 0, inserted: 0 });
  });

  it('finds calls that went into a new sub-agent', () => {
    const found = diff([quote, check], [{ label: 'agent:analyst', input: ['new'], children: [quote, check] }]);
    expect(found.differences.map(({ status, moved, right }) => [status, moved ?? false, right?.path])).toEqual([
      ['inserted', false, 'agent:trader/agent:analyst'],
      ['equal', true, 'agent:trader/agent:analyst/tool:get_quote'],
      ['equal', true, 'agent:trader/agent:analyst/guardrail:order-size'],
    ]);
    expect(found.differences[0]?.crossings).toBe(1);
  });

  it('names first what differed first, although the run itself ended differently too', () => {
    const left = input([quote, check, order]);
    const right = input([quote, { ...check, output: { allowed: false } }], {}, 'agent:trader', 'refused');
    const found = diffRecordings(left, right);
    expect(found.differences).toMatchObject([
      { status: 'outcome-changed', left: { path: 'agent:trader/guardrail:order-size' } },
      { status: 'removed', left: { path: 'agent:trader/tool:place_order' } },
      { status: 'outcome-changed', left: { path: 'agent:trader' } },
    ]);
    expect(found.differences[0]?.outcome?.places).toEqual([{ path: '$.allowed', left: 'true', right: 'false' }]);
  });

  it('goes by when outcomes came, not by where crossings stand', () => {
    const slow = (output: string): CrossingPlan => ({ ...quote, output, startUs: 1, endUs: 90, settled: 2 });
    const quick = (question: string): CrossingPlan => ({
      ...check,
      input: [question],
      startUs: 2,
      endUs: 50,
      settled: 1,
    });
    const found = diff([slow('a'), quick('a')], [slow('b'), quick('b')]);
    expect(found.differences.map(({ status }) => status)).toEqual(['input-changed', 'outcome-changed']);
  });

  it('shows another way of ending, and compares errors without their stacks', () => {
    const failing = (message: string): CrossingPlan => ({ ...quote, error: new TypeError(message) });
    expect(diff([failing('no such symbol')], [failing('no such symbol')]).verdict).toBe('equal');
    const places = diff([quote], [failing('no such symbol')]).differences[0]?.outcome?.places;
    expect(places?.map(({ path }) => path)).toEqual(['$.returned', '$.threw']);
  });

  it('compares two runs of other agents, and says that they are', () => {
    const found = diffRecordings(input([quote]), input([quote], {}, 'agent:broker'));
    expect(found.differences).toMatchObject([
      { status: 'input-changed', input: { places: [{ path: 'name', left: 'agent:trader', right: 'agent:broker' }] } },
    ]);
  });
});

describe('a connection to a server of MCP', () => {
  it('is no difference in its process and its session, and one in what it said', () => {
    const connected = (processId: number, sessionId: string, version = '1'): CrossingPlan => ({
      label: 'mcp:stdio/initialize',
      output: { initialized: { serverInfo: { version } }, processId, sessionId },
    });
    expect(diff([connected(7, 'a')], [connected(8, 'b')]).verdict).toBe('equal');
    expect(diff([connected(7, 'a')], [connected(8, 'b')], { exact: true }).verdict).toBe('different');
    expect(diff([connected(7, 'a')], [connected(8, 'b', '2')]).differences[0]?.outcome?.places).toEqual([
      { path: '$.initialized.serverInfo.version', left: '"1"', right: '"2"' },
    ]);
  });
});

describe('what a provider makes anew for every answer', () => {
  const [first, second] = [turn({ answer: 'aaaa', call: 'call_1111' }), turn({ answer: 'bbbb', call: 'call_2222' })];

  it('is no difference, and is said not to have been compared', () => {
    const found = diff(first, second);
    expect(found).toMatchObject({ verdict: 'equal', differences: [] });
    expect(found.notes.join()).toMatch(/not compared \(\d+ places\); --exact/);
  });

  it('is one when asked for', () => {
    const found = diff(first, second, { exact: true });
    expect(found.notes).toEqual([]);
    expect(found.differences[0]?.outcome?.places.map(({ path }) => path)).toEqual([
      '$.body.choices[0].message.tool_calls[0].id',
      '$.body.id',
    ]);
  });

  it('does not hide what the model was told or what it answered', () => {
    const found = diff(first, turn({ answer: 'bbbb', call: 'call_2222' }, 'What is GLOBEX at?'));
    expect(found.differences.map(({ status }) => status)).toEqual(['input-changed', 'input-changed']);
    expect(found.differences[0]?.input).toMatchObject({ total: 1, places: [{ path: '$.messages[0].content' }] });
  });

  it('does not hide results that were handed to the wrong call', () => {
    const calls = ['ACME', 'GLOBEX'].map((symbol, index) => toolCall(`call_000${index}`, 'get_quote', { symbol }));
    const asked = (answers: readonly string[]): CrossingPlan[] => [
      {
        label: 'model:openai.chat',
        input: {
          messages: [
            { tool_calls: calls },
            ...answers.map((id) => ({ tool_call_id: id, content: `of ${id === answers[0]}` })),
          ],
        },
        output: 'ok',
      },
    ];
    const found = diff(asked(['call_0000', 'call_0001']), asked(['call_0001', 'call_0000']));
    expect(found.differences[0]?.input?.places[0]?.left).toBe('"(call of get_quote with {\\"symbol\\":\\"ACME\\"})"');
  });

  it('includes how a stream was cut, where the recorder kept what it added up to', () => {
    const streamed = (pieces: readonly string[]): CrossingPlan => ({
      label: 'model:openai.chat',
      call: 'exchange',
      input: { messages: [] },
      exchanges: [
        modelExchange(
          pieces.map((content) => ({ choices: [{ delta: { content } }] })),
          { isStream: true },
        ),
      ],
      without: [ATTR_REENACT_OUTPUT],
      attributes: { [ATTR_GEN_AI_OUTPUT_MESSAGES]: JSON.stringify([{ parts: [{ content: pieces.join('') }] }]) },
    });
    expect(diff([streamed(['so', 'ld'])], [streamed(['sol', 'd'])]).verdict).toBe('equal');
    expect(diff([streamed(['so', 'ld'])], [streamed(['sol', 'd'])], { exact: true }).verdict).toBe('different');
    const [difference] = diff([streamed(['so', 'ld'])], [streamed(['bought'])]).differences;
    expect(difference?.outcome?.places).toEqual([
      { path: '$.body[0].parts[0].content', left: '"sold"', right: '"bought"' },
    ]);
  });
});

describe('what the runs were made of', () => {
  it('is told apart and makes no run different', () => {
    const served = (model: string): CrossingPlan => ({ ...quote, attributes: { [ATTR_GEN_AI_RESPONSE_MODEL]: model } });
    const facts = (commit: string): Record<string, string> => ({
      [ATTR_VCS_REF_HEAD_REVISION]: commit,
      [ATTR_SERVICE_VERSION]: '1.0',
      [ATTR_PROCESS_PID]: commit,
    });
    const found = diffRecordings(
      input([served('m-1'), served('m-1')], facts('aaa')),
      input([served('m-2'), served('m-2')], facts('bbb')),
    );
    expect(found.verdict).toBe('equal');
    expect(found.environment).toEqual([
      { name: 'commit', left: 'aaa', right: 'bbb' },
      { name: 'model served', left: 'm-1', right: 'm-2', crossings: 2, path: 'agent:trader/tool:get_quote' },
    ]);
  });
});

describe('what was not recorded', () => {
  it('is never taken for equal', () => {
    const unknown: CrossingPlan = { ...quote, without: [ATTR_REENACT_OUTPUT, `${ATTR_REENACT_OUTPUT}.digest`] };
    const found = diff([unknown], [unknown]);
    expect(found).toMatchObject({ verdict: 'unverified', totals: { notCompared: 1 } });
    expect(found.notes.join()).toContain('agent:trader/tool:get_quote: the outcome was not recorded');
  });

  it('is compared by digest where that was recorded', () => {
    const digestOnly = (output: string): CrossingPlan => ({ ...quote, output, without: [ATTR_REENACT_OUTPUT] });
    expect(diff([digestOnly('a')], [digestOnly('a')]).verdict).toBe('equal');
    expect(diff([digestOnly('a')], [digestOnly('b')]).differences).toMatchObject([{ status: 'outcome-changed' }]);
  });

  it('leaves nothing to compare under a span that is no crossing', () => {
    const side = input([quote]);
    expect(() => diffRecordings(side, { ...side, rootSpanId: 'ffffffffffffffff' })).toThrowError(
      expect.objectContaining({ code: 'cold-case' }),
    );
  });
});
