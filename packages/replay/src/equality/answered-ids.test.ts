import { buildRecording } from '@reenact/recordings/testing';
import type { Exchange } from '@reenact/trace-model';
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

function learnt(path: string, before: unknown, now: unknown): AnsweredIds {
  const [recorded] = buildRecording({
    label: 'model:m',
    call: 'exchange',
    exchanges: [answered(path, before)],
  }).crossings;
  if (recorded === undefined) throw new TypeError('it has one');
  const ids = new AnsweredIds();
  ids.learn(recorded, [answered(path, now)]);
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
    ['a chat completion', '/v1/chat/completions', chat(['a', 1]), chat(['b', 1]), 'b', 'a'],
    ['a stream of one', '/v1/chat/completions', streamed('a'), streamed('b'), 'b', 'a'],
    ['a response', '/v1/responses', response('1'), response('2'), 'call_2', 'call_1'],
    ['a response itself', '/v1/responses', response('1'), response('2'), 'resp_2', 'resp_1'],
    ['a message', '/v1/messages', message('toolu_1'), message('toolu_2'), 'toolu_2', 'toolu_1'],
  ])('stand for the recorded ones: %s', (_, path, before, now, live, recorded) => {
    const ids = learnt(path, before, now);
    expect(ids.recorded(live)).toBe(recorded);
    expect(ids.inText(`[{"tool_call_id":"${live}"},"${live}0"]`)).toBe(`[{"tool_call_id":"${recorded}"},"${live}0"]`);
    const inText = (id: string): string => JSON.stringify({ body: JSON.stringify({ id }) });
    expect(ids.inText(inText(live))).toBe(inText(recorded));
  });

  it('stand for none where the call is another one', () => {
    const ids = learnt('/v1/chat/completions', chat(['a', 1], ['b', 2]), chat(['c', 1], ['d', 3]));
    expect(['c', 'd'].map((id) => ids.recorded(id))).toEqual(['a', 'd']);
  });

  it('are read all at once where answers came in another order', () => {
    const ids = learnt('/v1/chat/completions', chat(['a', 1], ['b', 1]), chat(['b', 1], ['a', 1]));
    expect(ids.inText('["a","b"]')).toBe('["b","a"]');
  });
});
