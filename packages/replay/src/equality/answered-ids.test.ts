import { buildRecording } from '@reenact/recordings/testing';
import type { Crossing, Exchange } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import { AnsweredIds } from './answered-ids.ts';

function answered(path: string, body: unknown): Exchange {
  const isStream = typeof body === 'string';
  const chunks: Exchange['response'] & object = {
    status: 200,
    statusText: 'OK',
    url: `https://provider.example${path}`,
    headers: [['content-type', isStream ? 'text/event-stream' : 'application/json']],
    headersAfterUs: 1,
    chunks: [[1, isStream ? body : JSON.stringify(body)]],
    end: 'complete',
    endAfterUs: 2,
    hasBody: true,
  };
  const request = { method: 'POST', url: `https://provider.example${path}`, headers: [] };
  return { layer: 'fetch', attempt: 0, startedAtUnixNano: '1', request, response: chunks };
}

function crossingOf(path: string, body: unknown): Crossing {
  const plan = { label: 'model:m', call: 'exchange', exchanges: [answered(path, body)] } as const;
  const [recorded] = buildRecording(plan).crossings;
  if (recorded === undefined) throw new TypeError('it has one');
  return recorded;
}

function learnt(path: string, before: unknown, now: unknown): AnsweredIds {
  const ids = new AnsweredIds();
  ids.learn(crossingOf(path, before), [answered(path, now)]);
  return ids;
}

const chat = (...calls: readonly (readonly [id: string, shares: number])[]): unknown => ({
  choices: [
    {
      message: {
        content: null,
        tool_calls: calls.map(([id, shares]) => ({
          id,
          function: { name: 'sell', arguments: JSON.stringify({ shares }) },
        })),
      },
    },
  ],
});

const streamed = (id: string): string =>
  [
    { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, id, function: { name: 'sell', arguments: '' } }] } }] },
    { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: '{}' } }] } }] },
  ]
    .map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
    .join('');

const response = (id: string): unknown => ({
  id: `resp_${id}`,
  output: [{ type: 'function_call', id: `fc_${id}`, call_id: `call_${id}`, name: 'sell', arguments: '{}' }],
});

const message = (id: string): unknown => ({ content: [{ type: 'tool_use', id, name: 'sell', input: {} }] });

describe('ids of live answers', () => {
  it.each<[string, string, unknown, unknown, string, string]>([
    [
      'a chat completion',
      '/v1/chat/completions',
      chat(['call_aaaa1', 1]),
      chat(['call_bbbb2', 1]),
      'call_bbbb2',
      'call_aaaa1',
    ],
    [
      'a stream of one',
      '/v1/chat/completions',
      streamed('call_aaaa1'),
      streamed('call_bbbb2'),
      'call_bbbb2',
      'call_aaaa1',
    ],
    ['a response', '/v1/responses', response('aaa1'), response('bbb2'), 'call_bbb2', 'call_aaa1'],
    ['a response itself', '/v1/responses', response('aaa1'), response('bbb2'), 'resp_bbb2', 'resp_aaa1'],
    ['a message', '/v1/messages', message('toolu_aa1'), message('toolu_bb2'), 'toolu_bb2', 'toolu_aa1'],
  ])('stand for the recorded ones: %s', (_, path, before, now, live, recorded) => {
    const ids = learnt(path, before, now);
    expect(ids.recorded(live)).toBe(recorded);
    expect(ids.inText(`[{"tool_call_id":"${live}"},"${live}0"]`)).toBe(`[{"tool_call_id":"${recorded}"},"${live}0"]`);
    const inText = (id: string): string => JSON.stringify({ body: JSON.stringify({ id }) });
    expect(ids.inText(inText(live))).toBe(inText(recorded));
  });

  it('stand for none where the call is another one', () => {
    const ids = learnt(
      '/v1/chat/completions',
      chat(['call_aa1', 1], ['call_bb22', 2]),
      chat(['call_cc33', 1], ['call_dd44', 3]),
    );
    expect(['call_cc33', 'call_dd44'].map((id) => ids.recorded(id))).toEqual(['call_aa1', 'call_dd44']);
  });

  it('are read all at once where answers came in another order', () => {
    const ids = learnt(
      '/v1/chat/completions',
      chat(['call_aa11', 1], ['call_bb22', 1]),
      chat(['call_bb22', 1], ['call_aa11', 1]),
    );
    expect(ids.inText('["call_aa11","call_bb22"]')).toBe('["call_bb22","call_aa11"]');
  });

  it('are found where the model thought in between, in one of them only', () => {
    const { output } = response('bbb2') as { output: object[] };
    const thought = {
      id: 'resp_aaa1',
      output: [{ type: 'reasoning', id: 'rs_1' }, ...(response('aaa1') as { output: object[] }).output],
    };
    expect(learnt('/v1/responses', thought, { id: 'resp_bbb2', output }).recorded('call_bbb2')).toBe('call_aaa1');
  });
});

describe('what may be taken for such an id', () => {
  it('stands for itself where it is a word or a number', () => {
    const ids = learnt('/v1/chat/completions', chat(['0', 1], ['sell', 2]), chat(['1', 1], ['cancel_order', 2]));
    expect(ids.inText('[{"account":"1","action":"cancel_order"}]')).toBe('[{"account":"1","action":"cancel_order"}]');
  });

  it('stands for nothing where a provider gives the same again for another call', () => {
    const ids = learnt('/v1/chat/completions', chat(['call_aa11', 1]), chat(['call_same1', 1]));
    expect(ids.recorded('call_same1')).toBe('call_aa11');
    ids.learn(crossingOf('/v1/chat/completions', chat(['call_bb22', 2])), [
      answered('/v1/chat/completions', chat(['call_same1', 2])),
    ]);
    expect([ids.recorded('call_same1'), ids.inText('"call_same1"')]).toEqual(['call_same1', '"call_same1"']);
  });

  it('is none of a service whose addresses end alike', () => {
    const [form] = buildRecording({
      label: 'http:POST forms.example',
      call: 'exchange',
      exchanges: [answered('/surveys/7/responses', response('aaa1'))],
    }).crossings;
    const ids = new AnsweredIds();
    if (form !== undefined) ids.learn(form, [answered('/surveys/7/responses', response('bbb2'))]);
    expect(ids.recorded('resp_bbb2')).toBe('resp_bbb2');
    expect(learnt('/v1/responses', { id: 'order_1000' }, { id: 'order_2000' }).recorded('order_2000')).toBe(
      'order_2000',
    );
  });
});
