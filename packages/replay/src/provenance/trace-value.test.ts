import {
  buildRecording,
  type CrossingPlan,
  chatCompletion,
  modelExchange,
  toolCall,
} from '@reenact/recordings/testing';
import { ATTR_REENACT_INPUT, ATTR_REENACT_OUTPUT } from '@reenact/semconv/reenact';
import type { Recording, ReenactError } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import { renderValueOrigin } from './render-value-origin.ts';
import { traceValue } from './trace-value.ts';
import type { ValueOrigin } from './value-origin.ts';

function model(messages: readonly object[], answer: string | readonly object[]): CrossingPlan {
  return {
    label: 'model:openai.chat',
    call: 'exchange',
    canonical: 'model-request/1',
    input: { model: 'gpt-5-mini', messages },
    exchanges: [modelExchange(chatCompletion('chatcmpl-1', answer))],
    without: [ATTR_REENACT_OUTPUT],
  };
}

const request = 'Please sell $1,000 worth of my ACME shares.';
const policies = [{ id: 'P-2', content: 'Any order above 1,000 shares needs a second signature.' }];
const asked = [
  { role: 'system', content: `You trade.\n${policies[0]?.content}` },
  { role: 'user', content: request },
];
const position = toolCall('call_position', 'get_position', { symbol: 'ACME' });
const held = { symbol: 'ACME', shares: 25_000, asOf: new Date('2026-11-17T15:14:00Z') };
const order = { symbol: 'ACME', side: 'sell', quantity: 1_000 };

/** The incident: the model turned $1,000 into 1,000 shares. */
const incident = buildRecording({
  label: 'agent:trader',
  input: [{ request, account: 'A-4711' }],
  output: 'Sold.',
  children: [
    { label: 'retrieval:policies', input: [{ query: request }], output: policies },
    model(asked, [position]),
    { label: 'tool:get_position', toolCallId: 'call_position', input: [{ symbol: 'ACME' }], output: held },
    model(
      [
        ...asked,
        { role: 'assistant', tool_calls: [position] },
        { role: 'tool', tool_call_id: 'call_position', content: JSON.stringify(held) },
      ],
      [toolCall('call_order', 'place_order', order)],
    ),
    { label: 'tool:place_order', toolCallId: 'call_order', input: [order], output: { orderId: 7_731, value: 190_000 } },
    model([...asked, { role: 'tool', content: '{"orderId":7731}' }], 'Order 7731 is worth $190,000.00.'),
  ],
});

function why(path: string, address: string, recording: Recording = incident): ValueOrigin {
  const crossing = recording.crossings.find((item) => item.path === path);
  return traceValue(recording, crossing?.spanId ?? '', address);
}

/** `path part evidence` of each step back, then the origin. */
function chain({ links, origin }: ValueOrigin): string[] {
  const steps = links.map(
    ({ reason, source }) => `${reason}: ${source.path} ${source.part} ${source.jsonPath} ${source.evidence}`,
  );
  return [...steps, origin.type];
}

describe('where a value came from', () => {
  it('leads from an order through the model to the customer, over the way it is written', () => {
    const found = why('agent:trader/tool:place_order', '$[0].quantity');
    expect(chain(found)).toEqual([
      'tool-call: agent:trader/model:openai.chat#2 outcome $.body.choices[0].message.tool_calls[0].function.arguments equal',
      'own-input: agent:trader/model:openai.chat#2 input $.messages[0].content contained',
      'enclosing-input: agent:trader input $[0].request contained',
      'run-input',
    ]);
    expect(found.links[0]?.source.insideText).toBe('$.quantity');
    expect(found.links[2]?.source.excerpt).toBe(request);
    expect(found.links[2]?.others).toMatchObject([
      { path: 'agent:trader/retrieval:policies', jsonPath: '$[0].content', evidence: 'contained' },
    ]);
  });

  it('leads from a tool message to the tool, whose outcome it is as JSON text', () => {
    expect(chain(why('agent:trader/model:openai.chat#2', '$.messages[3].content'))).toEqual([
      'earlier-outcome: agent:trader/tool:get_position outcome $ equal',
      'crossing',
    ]);
  });

  it('ends at the tool where nothing before it holds the value', () => {
    const found = why('agent:trader/model:openai.chat#3', 'output:$.body.choices[0].message.content');
    expect(chain(found)).toEqual(['crossing']);
    const number = why('agent:trader/model:openai.chat#3', '$.messages[2].content');
    expect(chain(number)).toEqual(['own-code']);
    expect(number.origin).toMatchObject({
      before: { path: 'agent:trader/model:openai.chat#3' },
      after: { path: 'agent:trader/tool:place_order' },
    });
  });

  it('names the parts of a text that the agent put together itself', () => {
    const { origin, links } = why('agent:trader/model:openai.chat', '$.messages[0].content');
    expect(links).toEqual([]);
    expect(origin).toMatchObject({
      type: 'own-code',
      after: { path: 'agent:trader/retrieval:policies' },
      parts: [{ path: 'agent:trader/retrieval:policies', jsonPath: '$[0].content', evidence: 'part' }],
    });
  });

  it('goes only back: what came later is no source', () => {
    expect(chain(why('agent:trader/tool:get_position', '$[0].symbol')).at(-1)).toBe('run-input');
    const later = why('agent:trader/tool:get_position', 'output:$.shares');
    expect(chain(later)).toEqual(['crossing']);
  });
});

describe('what an answer admits', () => {
  const run = (children: readonly CrossingPlan[]): Recording =>
    buildRecording({ label: 'agent:a', input: [], children });

  it('that short and common values may be coincidences', () => {
    const recording = run([
      { label: 'tool:a', output: true },
      { label: 'tool:b', input: [true] },
    ]);
    const found = why('agent:a/tool:b', '$[0]', recording);
    expect(chain(found)).toEqual(['earlier-outcome: agent:a/tool:a outcome $ equal', 'crossing']);
    expect(found.notes.join()).toContain('coincidence');
  });

  it('that a short number is not looked for inside texts, and no number inside a longer one', () => {
    const recording = run([
      { label: 'tool:a', output: 'room 12, code 41900' },
      { label: 'tool:b', input: [12, 4190, 'codes'] },
    ]);
    for (const index of [0, 1, 2]) expect(chain(why('agent:a/tool:b', `$[${index}]`, recording))).toEqual(['own-code']);
  });

  it('that something was not recorded and could not be searched', () => {
    const recording = run([
      { label: 'tool:a', output: 'x', without: [ATTR_REENACT_OUTPUT] },
      { label: 'tool:b', input: ['some value'] },
    ]);
    expect(why('agent:a/tool:b', '$[0]', recording).notes.join()).toContain('agent:a/tool:a (outcome)');
  });

  it('every source, earliest first', () => {
    const tools = ['a', 'b', 'c'].map((name): CrossingPlan => ({ label: `tool:${name}`, output: { token: 'tok-77' } }));
    const found = why('agent:a/tool:z', '$[0]', run([...tools, { label: 'tool:z', input: ['tok-77'] }]));
    expect(found.links[0]?.source.path).toBe('agent:a/tool:a');
    expect(found.links[0]?.others.map(({ path }) => path)).toEqual(['agent:a/tool:b', 'agent:a/tool:c']);
  });

  it('that parallel calls do not feed each other', () => {
    const recording = run([
      { label: 'tool:a', output: 'shared-value', startUs: 10, endUs: 60, settled: 1 },
      { label: 'tool:b', input: ['shared-value'], startUs: 20, endUs: 50, settled: 0 },
    ]);
    expect(chain(why('agent:a/tool:b', '$[0]', recording))).toEqual(['own-code']);
  });
});

describe('a question that cannot be answered', () => {
  it.each([
    ['$.messages', 'bad-argument', /There is no \$\.messages: \$ has a list with indexes 0 to 0/],
    ['$.value', 'bad-argument', /There is no \$\.value/],
    ['$[0].quantities', 'bad-argument', /\$\[0\] has the members symbol, side, quantity/],
    ['messages', 'bad-argument', /does not start with \$/],
    ['$.messages[6].content › $.value', 'bad-argument', /take the whole text, \$\.messages\[6\]\.content\.$/],
    ['$[0', 'bad-argument', /cannot be read from "\[0" on/],
  ])('%s is refused, saying what is there', (address, code, message) => {
    const ask = (): ValueOrigin => why('agent:trader/tool:place_order', address);
    expect(ask).toThrowError(message);
    expect(ask).toThrowError(expect.objectContaining({ code }));
  });

  it('names the other half of the crossing where the value is there', () => {
    const next = (address: string): string => {
      try {
        why('agent:trader/tool:place_order', address);
      } catch (error) {
        return (error as ReenactError).next ?? '';
      }
      return '';
    };
    expect(next('$.orderId')).toContain('Its outcome has one: ask for output:$.orderId.');
    expect(next('output:$[0].symbol')).toContain('Its input has one: ask for input:$[0].symbol.');
    expect(next('$.nowhere')).not.toContain('has one');
  });

  it('is one about a crossing that is not there, or a value that was not recorded', () => {
    expect(() => traceValue(incident, 'ffffffffffffffff', '$')).toThrowError(
      expect.objectContaining({ code: 'not-found' }),
    );
    const unrecorded = buildRecording({ label: 'tool:a', without: [ATTR_REENACT_INPUT] });
    expect(() => why('tool:a', '$', unrecorded)).toThrowError(expect.objectContaining({ code: 'cold-case' }));
  });
});

describe('an answer as text', () => {
  it('shows the chain backwards and ends with where the value first appeared', () => {
    const text = renderValueOrigin(why('agent:trader/tool:place_order', '$[0].quantity'), { color: false });
    expect(text).toContain('input of agent:trader/tool:place_order  $[0].quantity');
    expect(text).toContain('← outcome of agent:trader/model:openai.chat#2');
    expect(text).toContain("First appeared in the run's own input, $[0].request of agent:trader.");
    expect(text).not.toContain('\u001b[');
  });
});
