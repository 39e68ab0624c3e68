import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { payloadOf } from '../payloads/payload.ts';
import { payloadTree } from '../payloads/payload-tree.ts';
import { encodeValue } from '../values/value-codec.ts';
import { CANONICAL_POLICIES, canonicalKey, canonicalPolicy, canonicalTree } from './canonical-input.ts';

const { arguments: byArguments, modelRequest } = CANONICAL_POLICIES;

function keyOf(value: unknown): string {
  return canonicalKey(byArguments, encodeValue(value).payload);
}

describe('the match key', () => {
  it('does not depend on key order or number spelling', () => {
    expect(keyOf([{ a: 1, b: [1, 2] }])).toBe(keyOf([{ b: [1, 2], a: 1.0 }]));
    expect(canonicalKey(byArguments, payloadOf('json', '[{"n":1.0}]'))).toBe(
      canonicalKey(byArguments, payloadOf('json', '[ {"n":1} ]')),
    );
  });

  it.each([
    ['array order', [[1, 2]], [[2, 1]]],
    ['the type of a value', [{ quantity: 1000 }], [{ quantity: '1000' }]],
    ['null and undefined', [{ limit: null }], [{ limit: undefined }]],
    ['0 and -0', [0], [-0]],
    ['a missing argument', ['ACME'], ['ACME', undefined]],
    ['bigint and number', [1n], [1]],
    ['a date and its text', [new Date(0)], ['1970-01-01T00:00:00.000Z']],
  ])('tells %s apart', (_name, left, right) => {
    expect(keyOf(left)).not.toBe(keyOf(right));
  });

  it('is the same for the same value, always', () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withDate: true, withMap: true }), (value) => {
        expect(keyOf([value])).toBe(keyOf([structuredClone(value)]));
      }),
    );
  });
});

describe('the model request policy', () => {
  const request = { model: 'gpt-5', messages: [{ role: 'user', content: 'sell' }], temperature: 0, stream: true };

  function key(body: object): string {
    return canonicalKey(modelRequest, payloadOf('json', JSON.stringify(body)));
  }

  it('ignores what does not bear on the answer', () => {
    const who = { user: 'u-1', safety_identifier: 's-1', metadata: { trace: 'x' }, prompt_cache_key: 'k' };
    expect(key({ ...request, ...who, store: true, service_tier: 'flex' })).toBe(key(request));
  });

  it.each([
    ['model', { model: 'gpt-5-mini' }],
    ['messages', { messages: [] }],
    ['temperature', { temperature: 1 }],
    ['tools', { tools: [{ type: 'function' }] }],
    ['response_format', { response_format: { type: 'json_object' } }],
    ['seed', { seed: 7 }],
    ['stream', { stream: false }],
    ['stream_options', { stream_options: { include_usage: true } }],
    ['a parameter that nobody knows yet', { imagination: 'high' }],
  ])('compares %s', (_name, change) => {
    expect(key({ ...request, ...change })).not.toBe(key(request));
  });

  it('is found again by its name', () => {
    expect(canonicalPolicy('messages-request/2')).toBe(CANONICAL_POLICIES.messagesRequest);
    expect(canonicalPolicy('messages-request/1')?.fields).toContain('thinking');
    expect(canonicalPolicy('model-request/2')).toBe(modelRequest);
    expect(canonicalPolicy('model-request/1')?.fields).toContain('temperature');
    expect(canonicalPolicy('model-request/99')).toBeUndefined();
    expect(canonicalPolicy('semconv-messages/1(model,messages)')?.fields).toEqual(['model', 'messages']);
    expect(canonicalPolicy('semconv-messages/99(model,messages)')).toBeUndefined();
  });
});

describe('the body of a request', () => {
  const { httpRequest } = CANONICAL_POLICIES;
  const contentType = 'application/json';

  function bodyOf(text: string): unknown {
    return (canonicalTree(httpRequest, { contentType, body: { text } }) as { body: unknown }).body;
  }

  it('is a tree that paths lead into, also where it holds long strings and numbers', () => {
    expect(bodyOf('{"cart":"98765432109876543210","sum":1.5}')).toEqual({
      json: { cart: '98765432109876543210', sum: 1.5 },
    });
    expect(bodyOf('{"ids":[9007199254740993, 1]}')).toEqual({
      json: { ids: [{ $: 'bigint', value: '9007199254740993' }, 1] },
    });
    expect(bodyOf('[0.12345678901234566, 0.123456789012345678]')).toEqual({
      json: [0.12345678901234566, { $: 'decimal', value: '0.123456789012345678' }],
    });
  });

  it('keeps numbers apart that a double cannot', () => {
    const texts = [
      '9007199254740993',
      '9007199254740992',
      '"9007199254740993"',
      '-9007199254740993',
      '9007199254740993.0',
    ];
    expect(new Set(texts.map((text) => JSON.stringify(bodyOf(`{"id":${text}}`)))).size).toBe(texts.length);
    const tagged = '{"id":{"$":"bigint","value":"9007199254740993"}}';
    expect(bodyOf(tagged)).toEqual({ text: tagged });
    expect(bodyOf('{"id":9007199254740993')).toEqual({ text: '{"id":9007199254740993' });
  });

  it('is read as JSON only where the request says that it is', () => {
    const keyOfBody = (type: string, text: string): string =>
      canonicalKey(httpRequest, encodeValue({ contentType: type, body: { text } }).payload);
    expect(keyOfBody('application/json', '[1.0]')).toBe(keyOfBody('application/json', '[1]'));
    for (const type of ['text/plain', 'application/jsonish', 'application/x-json-lines'])
      expect(keyOfBody(type, '[1.0]')).not.toBe(keyOfBody(type, '[1]'));
  });

  it('has the match key of the bytes that were sent where it was packed', () => {
    const packed = (level: number) => ({
      contentType,
      headers: { 'content-encoding': 'gzip' },
      body: gzipSync('{"a":1}'.repeat(100), { level }),
    });
    const key = (level: number): string => canonicalKey(httpRequest, encodeValue(packed(level)).payload);
    expect(key(9)).toBe(key(9));
    expect(key(0)).not.toBe(key(9));
    const compared = [0, 9].map((level) => canonicalTree(httpRequest, payloadTree(encodeValue(packed(level)).payload)));
    expect(compared[0]).toEqual(compared[1]);
  });

  it('has the match key that recordings have of it', () => {
    const text = '{"id":"98765432109876543210"}';
    const body = { text };
    const { payload } = encodeValue({ contentType, body });
    expect(canonicalKey(httpRequest, payload)).toBe(
      canonicalKey(byArguments, encodeValue({ body, contentType }).payload),
    );
  });
});
