import { ATTR_GEN_AI_INPUT_MESSAGES } from '@reenact/semconv/gen-ai';
import {
  ATTR_REENACT_BOUNDARY,
  ATTR_REENACT_ERROR,
  ATTR_REENACT_INPUT,
  ATTR_REENACT_OUTPUT,
} from '@reenact/semconv/reenact';
import { encodeValue } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import { readSpanDetails, type SpanDetails } from './span-details.ts';

/** What is shown of a crossing that threw this, recorded as values are. */
function shownError(thrown: unknown): SpanDetails['error'] {
  const value = { stringValue: encodeValue(thrown).payload.data };
  const spans = [{ attributes: [{ key: ATTR_REENACT_ERROR, value }] }];
  return readSpanDetails(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] })).error;
}

describe('readSpanDetails', () => {
  it('shows an error by its name, message and stack', () => {
    const error = new TypeError('no such symbol', { cause: new RangeError('X') });
    const shown = shownError(error);
    expect(shown).toMatchObject({ name: 'TypeError', message: 'no such symbol', stack: error.stack });
    expect(shown?.whole).toContain('RangeError');
  });

  it('names what an error was caused by, and the errors that it holds', () => {
    const refused = ['::1', '127.0.0.1'].map((host) => new Error(`connect ECONNREFUSED ${host}:443`));
    const error = new TypeError('fetch failed', { cause: new AggregateError(refused) });
    Object.assign(refused[0] ?? {}, { cause: error });
    expect(shownError(error)?.causes).toEqual([
      'AggregateError',
      'Error: connect ECONNREFUSED ::1:443',
      'Error: connect ECONNREFUSED 127.0.0.1:443',
    ]);
    expect(shownError(new Error('no', { cause: 'out of tea' }))?.causes).toEqual(['"out of tea"']);
    expect(shownError('out of tea')?.causes).toEqual([]);
  });

  it('shows what was thrown and is no error as it is', () => {
    expect(shownError('out of tea')?.message).toBe('"out of tea"');
    expect(shownError({ code: 418 })?.message).toBe('{"code":418}');
  });

  it('shows what others say of an error, where its exception has no message', () => {
    const attributes = [{ key: 'exception.type', value: { stringValue: 'KeyError' } }];
    const detailsOf = (message: string): SpanDetails => {
      const spans = [{ status: { code: 2, message }, events: [{ name: 'exception', attributes }] }];
      return readSpanDetails(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }));
    };
    const failed = detailsOf('it failed');
    expect(failed.error).toMatchObject({ name: 'KeyError', message: 'it failed' });
    expect(detailsOf('').error).toMatchObject({ name: 'KeyError', message: '' });
  });

  it('leaves among the attributes what was said in a form that cannot be read as messages, or not all of it', () => {
    const user = { role: 'user', parts: [{ type: 'text', content: 'sell' }] };
    const attributesOf = (text: string): string[] => {
      const attributes = [{ key: ATTR_GEN_AI_INPUT_MESSAGES, value: { stringValue: text } }];
      const details = readSpanDetails(
        JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [{ attributes }] }] }] }),
      );
      return details.attributes.map(([, value]) => value);
    };
    for (const text of [
      'sell, please',
      '{"text":"sell"}',
      JSON.stringify([{ ...user, parts: [...user.parts, ...user.parts] }, { text: 'lost' }]),
    ])
      expect(attributesOf(text)).toEqual([text]);
    for (const shown of [[], [user], [user, user], [{ type: 'text', content: 'be brief' }]])
      expect(attributesOf(JSON.stringify(shown))).toEqual([]);
  });
});

/** What a crossing of this kind asked a server of MCP for. */
function shownRequest(input: unknown, kind = 'mcp'): SpanDetails['request'] {
  const attributes = [
    { key: ATTR_REENACT_BOUNDARY, value: { stringValue: kind } },
    { key: ATTR_REENACT_INPUT, value: { stringValue: JSON.stringify(input) } },
  ];
  return readSpanDetails(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [{ attributes }] }] }] })).request;
}

it('shows what a server of MCP was asked for without the message around it', () => {
  const call = { method: 'tools/call', params: { name: 'quote', arguments: { symbol: 'ACME' } } };
  expect(shownRequest(call)).toEqual({ title: 'Arguments', json: '{"symbol":"ACME"}' });
  expect(shownRequest({ method: 'tools/call', params: { name: 'now' } })?.json).toBe('{}');
  const read = { method: 'resources/read', params: { uri: 'file:///a' } };
  expect(shownRequest(read)).toEqual({ title: 'Parameters', json: '{"uri":"file:///a"}' });
  expect(shownRequest({ method: 'tools/list' })).toBeUndefined();
  expect(shownRequest(call, 'tool')).toBeUndefined();
});

/** What is shown of what a crossing of this kind gave. */
function shownResult(output: unknown, kind = 'mcp'): SpanDetails['result'] {
  const attributes = [
    { key: ATTR_REENACT_BOUNDARY, value: { stringValue: kind } },
    { key: ATTR_REENACT_OUTPUT, value: { stringValue: JSON.stringify(output) } },
  ];
  return readSpanDetails(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [{ attributes }] }] }] })).result;
}

it('shows what a server of MCP answered without the message around it, which other clients than the SDK hear', () => {
  const said = { content: [{ type: 'text', text: '190' }] };
  expect(shownResult({ result: said })).toEqual(shownResult(said));
  expect(shownResult(said)?.parts).toEqual([{ type: 'text', text: '190' }]);
  const failed = shownResult({ error: { code: -32_602, message: 'no such resource' } });
  expect(failed).toMatchObject({ isError: true, parts: [{ type: 'text', text: 'no such resource' }] });
  expect([shownResult({ result: said }, 'tool'), shownResult({ result: { tools: [] } })]).toEqual([
    undefined,
    undefined,
  ]);
});
