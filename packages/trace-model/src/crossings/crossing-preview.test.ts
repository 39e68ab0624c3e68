import { ATTR_ERROR_TYPE, ATTR_PROCESS_EXIT_CODE } from '@reenact/semconv/core';
import {
  ATTR_GEN_AI_EMBEDDINGS_DIMENSION_COUNT,
  ATTR_GEN_AI_OUTPUT_MESSAGES,
  ATTR_GEN_AI_REQUEST_MODEL,
} from '@reenact/semconv/gen-ai';
import { ATTR_REENACT_UNCAUGHT } from '@reenact/semconv/reenact';
import { describe, expect, it } from 'vitest';
import { encodeValue } from '../values/value-codec.ts';
import type { Crossing } from './crossing.ts';
import { crossingFacts, flagsOf, inputPreview, outcomePreview } from './crossing-preview.ts';

function thrown(error: Error): Crossing {
  return {
    traceId: 'ab'.repeat(16),
    spanId: 'cd'.repeat(8),
    kind: 'model',
    name: 'openai.chat',
    path: 'model:openai.chat',
    order: 0,
    call: 'promise',
    effect: 'read',
    capture: 'full',
    canonicalPolicy: 'arguments',
    outcome: { type: 'threw', error: encodeValue(error).payload },
    exchanges: [],
    startTimeUnixNano: 0n,
    endTimeUnixNano: 1n,
    lossy: [],
    redacted: [],
    dialect: 'reenact',
    attributes: new Map(),
    damage: [],
  };
}

describe('the line that says what went in', () => {
  const asked = (input: object): string =>
    inputPreview({ ...thrown(new Error('unused')), input: encodeValue(input).payload });

  it('is the last message to a model, in whatever parts and under whatever name a library gives it', () => {
    const content = [{ type: 'text', text: 'sell $1,000 worth' }];
    const said = 'user: sell $1,000 worth';
    expect(asked({ messages: [{ role: 'user', content: 'sell $1,000 worth' }] })).toBe(said);
    expect(asked({ messages: [{ role: 'user', content }] })).toBe(said);
    expect(
      asked({
        prompt: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content },
        ],
      }),
    ).toBe(said);
    expect(asked({ input: [{ role: 'user', content: [{ type: 'input_text', text: 'sell' }] }] })).toBe('user: sell');
    expect(asked({ prompt: 'sell' })).toBe('sell');
  });

  it('is what a tool answered, without the ids around it', () => {
    const sdk = { type: 'tool-result', toolCallId: 'c', toolName: 't', output: { type: 'json', value: { id: 1 } } };
    expect(asked({ prompt: [{ role: 'tool', content: [sdk] }] })).toBe('tool: {"id":1}');
    const block = { type: 'tool_result', tool_use_id: 'c', content: 'filled' };
    expect(asked({ messages: [{ role: 'user', content: [block] }] })).toBe('user: filled');
    const picture = { type: 'image', source: { type: 'url', url: 'https://a.example/b.png' } };
    expect(asked({ messages: [{ role: 'user', content: [picture] }] })).toContain('https://a.example/b.png');
    expect(asked({ input: [{ type: 'function_call_output', call_id: 'c', output: 'filled' }] })).toBe('filled');
  });

  it('marks what a tool answered as an error, in the words of the conventions, of Anthropic and of the AI SDK', () => {
    const told = { type: 'tool_call_response', id: 'c', response: 'no such order', is_error: true };
    const block = { type: 'tool_result', tool_use_id: 'c', content: [{ type: 'text', text: 'no such order' }] };
    const sdk = (output: object) => ({ type: 'tool-result', toolCallId: 'c', output });
    for (const part of [told, { ...block, is_error: true }, sdk({ type: 'error-text', value: 'no such order' })])
      expect(asked({ messages: [{ role: 'tool', content: [part] }] })).toBe('tool: ✗ no such order');
    const failed = sdk({ type: 'error-json', value: { code: 7 } });
    expect(asked({ prompt: [{ role: 'tool', content: [failed] }] })).toBe('tool: ✗ {"code":7}');
    expect(asked({ messages: [{ role: 'user', content: [block] }] })).toBe('user: no such order');
  });

  it('names what came as bytes by its type', () => {
    const source = { type: 'base64', media_type: 'image/png', data: 'AAAA' };
    const content = [
      { type: 'text', text: 'What is it?' },
      { type: 'image', source },
    ];
    expect(asked({ messages: [{ role: 'user', content }] })).toBe('user: What is it? (image/png)');
    const image = { type: 'input_image', image_url: 'data:image/webp;base64,AAAA' };
    expect(asked({ input: [{ role: 'user', content: [image] }] })).toBe('user: image/webp');
  });

  it('leaves out what is written around each request of its kind', () => {
    const asks = (kind: Crossing['kind'], input: object): string =>
      inputPreview({ ...thrown(new Error('unused')), kind, input: encodeValue(input).payload });
    const params = { name: 'get_order', arguments: { id: 4711 } };
    expect(asks('mcp', { method: 'tools/call', params, _meta: { key: 1 } })).toBe('{"id":4711}');
    expect(asks('mcp', { method: 'resources/read', params: { uri: 'shop://a' } })).toBe('{"uri":"shop://a"}');
    expect(asks('mcp', { method: 'tools/list' })).toBe('{"method":"tools/list"}');
    expect(asks('embedding', { model: 'm', dimensions: 16, input: ['two', 'texts'] })).toBe('two texts');
    const headers = { accept: '*/*' };
    const request = { method: 'POST', url: 'https://a.example/orders?b=1', headers, body: { text: '{"id":1}' } };
    expect(asks('http', request)).toBe('https://a.example/orders?b=1 {"id":1}');
    expect(asks('http', { ...request, body: { base64: 'AAAA' } })).toBe('https://a.example/orders?b=1 (bytes)');
    expect(asks('tool', { url: '/a', body: 'b' })).toBe('{"url":"/a","body":"b"}');
  });
});

describe('the line that says what a tool answered', () => {
  const answered = (value: unknown): string =>
    outcomePreview({
      ...thrown(new Error('unused')),
      kind: 'mcp',
      outcome: { type: 'returned', value: encodeValue(value).payload },
    });

  it('is what the contents of a result of MCP say, with a mark where it failed', () => {
    const text = (said: string) => ({ type: 'text', text: said });
    const png = { type: 'image', mimeType: 'image/png', data: 'AAAA' };
    const file = { type: 'resource', resource: { uri: 'shop://a', text: 'a file' } };
    const link = { type: 'resource_link', uri: 'shop://b', name: 'b' };
    expect(answered({ content: [text('190'), png, file, link] })).toBe('190 (image/png) a file shop://b');
    expect(answered([text('a list'), text('of parts')])).toBe('a list of parts');
    expect(answered({ content: [text('No such order')], isError: true })).toBe('✗ No such order');
    expect(answered({ content: [], structuredContent: { id: 1 } })).toBe('{"id":1}');
    expect(answered({ isError: true, reason: 'closed' })).toBe('✗ {"isError":true,"reason":"closed"}');
  });

  it('is the same of the message in which other clients than the SDK hear it', () => {
    expect(answered({ result: { content: [{ type: 'text', text: '190' }] } })).toBe('190');
    expect(answered({ result: { tools: [] } })).toBe('{"tools":[]}');
    expect(answered({ error: { code: -32_602, message: 'no such resource' } })).toBe('✗ no such resource');
    expect(answered({ closed: true })).toBe('{"closed":true}');
  });

  it('is all of what is not such a result', () => {
    const page = { title: 'A page', content: [{ type: 'text', text: 'words' }] };
    expect(answered(page)).toBe(JSON.stringify(page));
    const odd = {
      content: [
        { type: 'text', text: 'words' },
        { type: 'chart', points: [1] },
      ],
    };
    expect(answered(odd)).toBe(JSON.stringify(odd));
    expect(answered([])).toBe('[]');
  });
});

describe('the line that says what came out', () => {
  it('names class, code and status of an error', () => {
    const error = Object.assign(new TypeError('no broker'), { code: 'GONE', status: 503 });
    expect(outcomePreview(thrown(error))).toBe('✗ TypeError GONE 503: no broker');
  });

  it('tells a stream that the agent called off from a client of the agent that left', () => {
    const crossing: Crossing = { ...thrown(new Error('none')), outcome: { type: 'aborted', chunks: [] } };
    expect(outcomePreview(crossing)).toBe('stream aborted by the agent: ');
    expect(outcomePreview({ ...crossing, kind: 'agent', canonicalPolicy: 'http-request/1' })).toBe(
      '(whoever asked left before it was answered)',
    );
  });

  it('does not say that the agent called off a stream in which the provider of a model reported an error', () => {
    const crossing: Crossing = { ...thrown(new Error('none')), outcome: { type: 'aborted', chunks: [] } };
    const attributes = new Map([[ATTR_ERROR_TYPE, 'overloaded_error']]);
    expect(outcomePreview({ ...crossing, kind: 'model', attributes })).toBe('✗ stream ended by overloaded_error: ');
    expect(outcomePreview({ ...crossing, kind: 'http', attributes })).toBe('stream aborted by the agent: ');
  });
});

describe('what is said of a call whose process died', () => {
  it('is what had come of its answer', () => {
    const crossing: Crossing = { ...thrown(new Error('none')), call: 'exchange', outcome: { type: 'pending' } };
    expect(outcomePreview(crossing)).toBe('(had not ended when its process stopped)');
    const exited = { ...crossing, attributes: new Map([[ATTR_PROCESS_EXIT_CODE, 3]]) };
    expect(outcomePreview(exited)).toBe('(had not ended when its process exited with code 3)');
    const request = { method: 'POST', url: 'http://a.example/', headers: [], body: { text: '' } } as const;
    const head = { status: 200, statusText: '', headers: [], headersAfterUs: 1, hasBody: true } as const;
    const response = { ...head, chunks: [[2, 'first']], end: 'open', endAfterUs: 3 } as const;
    const exchange = { layer: 'fetch', attempt: 0, startedAtUnixNano: '0', request, response } as const;
    expect(outcomePreview({ ...crossing, exchanges: [exchange] as unknown as Crossing['exchanges'] })).toBe(
      '(had not ended when its process stopped: HTTP 200, 1 chunk had come)',
    );
  });

  it('is what had come of its stream', () => {
    const chunks = ['first ', 'second'].map((text) => ({ offsetUs: 1, value: encodeValue(text).payload }));
    const crossing: Crossing = { ...thrown(new Error('none')), call: 'async-iterator' };
    expect(outcomePreview({ ...crossing, outcome: { type: 'pending', chunks } })).toBe(
      '(had not ended when its process stopped; what had come: first second)',
    );
    expect(outcomePreview({ ...crossing, outcome: { type: 'pending', chunks: [] } })).toBe(
      '(had not ended when its process stopped)',
    );
  });

  it('says of a call that had ended how large its result was, where that was not on the disk yet', () => {
    const unwritten = { what: 'result', digest: 'sha256:ab;200015' } as const;
    const crossing: Crossing = { ...thrown(new Error('none')), outcome: { type: 'pending', unwritten } };
    expect(outcomePreview(crossing)).toBe(
      '(had ended: its result of 200,015 bytes was not on the disk yet when its process ended (digest sha256:ab;200015))',
    );
  });

  it('says that only a digest was kept of a result or an error', () => {
    const { format, digest } = encodeValue('a secret').payload;
    const crossing = thrown(new Error('none'));
    const shown = `(digest only: ${digest})`;
    expect(outcomePreview({ ...crossing, outcome: { type: 'returned', value: { format, digest } } })).toBe(shown);
    expect(outcomePreview({ ...crossing, outcome: { type: 'threw', error: { format, digest } } })).toBe(`✗ ${shown}`);
  });

  it('says nothing of a code and a status that a library left empty', () => {
    const error = Object.assign(new TypeError('Connection error.'), { code: undefined, status: null });
    expect(outcomePreview(thrown(error))).toBe('✗ TypeError: Connection error.');
  });

  it('reads pieces of text as one text, and keeps other chunks apart', () => {
    const streamed = (...values: unknown[]): Crossing => ({
      ...thrown(new Error('unused')),
      call: 'async-iterator',
      outcome: { type: 'ended', chunks: values.map((value) => ({ value: encodeValue(value).payload, offsetUs: 0 })) },
    });
    expect(outcomePreview(streamed('two ', 'words'))).toBe('two words');
    expect(outcomePreview(streamed({ token: 1 }, { token: 2 }, 3))).toBe('{"token":1} {"token":2} 3');
  });
});

describe('the line that says what came out of a request', () => {
  it('is of a plain request its status and the beginning of its body, and nothing that was only thought of a model', () => {
    const request = { method: 'GET', url: 'http://a.example/', headers: [] } as const;
    const head = { status: 404, statusText: '', headers: [], headersAfterUs: 1, hasBody: true } as const;
    const asked = (kind: Crossing['kind'], chunks: readonly unknown[]): string => {
      const response = { ...head, chunks, end: 'complete', endAfterUs: 3 };
      const exchange = { layer: 'fetch', attempt: 0, startedAtUnixNano: '0', request, response };
      const exchanges = [exchange] as unknown as Crossing['exchanges'];
      return outcomePreview({
        ...thrown(new Error('none')),
        ...{ kind, exchanges, call: 'exchange', outcome: { type: 'returned' } },
      });
    };
    const chunks = [
      [2, '{"error":'],
      [3, '"gone"}'],
    ];
    expect(asked('http', chunks)).toBe('HTTP 404: {"error":"gone"}');
    expect(asked('http', [[2, { base64: 'AAAA' }]])).toBe('HTTP 404, 1 chunk');
    expect(asked('embedding', chunks)).toBe('HTTP 404, 2 chunks');
    const parts = [
      { type: 'reasoning', content: 'The user wants …' },
      { type: 'text', content: 'Sold.' },
    ];
    const said = (shown: readonly object[]): string =>
      outcomePreview({
        ...thrown(new Error('none')),
        outcome: { type: 'returned' },
        attributes: new Map([[ATTR_GEN_AI_OUTPUT_MESSAGES, JSON.stringify([{ role: 'assistant', parts: shown }])]]),
      });
    expect([said(parts), said(parts.slice(0, 1))]).toEqual(['Sold.', 'The user wants …']);
  });
});

describe('the line that says what came out of an embedding', () => {
  it('is how long its vectors are, unless it failed', () => {
    const attributes = new Map([[ATTR_GEN_AI_EMBEDDINGS_DIMENSION_COUNT, 1536]]);
    const embedded = (status: number): string => {
      const exchanges = [{ response: { status, chunks: [[2, '{}']] } }] as unknown as Crossing['exchanges'];
      const outcome = { type: 'returned' } as Crossing['outcome'];
      return outcomePreview({
        ...thrown(new Error('none')),
        kind: 'embedding',
        call: 'exchange',
        attributes,
        exchanges,
        outcome,
      });
    };
    expect([embedded(200), embedded(404)]).toEqual(['vectors of 1536 numbers', 'HTTP 404, 1 chunk']);
  });
});

describe('what a crossing lacks', () => {
  it('is one line each, with what was not kept counted', () => {
    const attributes = new Map<string, string[] | number>([
      ['reenact.requires.missing', ['user.id', 'tenant']],
      ['reenact.input.violations', 3],
      ['reenact.input.invalid', ['/0/shares too many']],
    ]);
    expect(flagsOf({ ...thrown(new Error('x')), attributes })).toEqual([
      'without user.id, tenant, which the boundary requires',
      'the input schema refuses: /0/shares too many; 2 more',
    ]);
    expect(flagsOf(thrown(new Error('x')))).toEqual([]);
  });
});

describe('the lines of a crossing that holds much', () => {
  const SHOWN = 500;
  const note = 'sell "$1,000" worth\n'.repeat(20);
  const rows = Array.from({ length: 3_000 }, (_, id) => ({ id, note, at: { $: 'date', value: '2026-11-17' } }));
  const message = (role: string, content: unknown) => ({ id: note, role, content });
  const messages = [...rows.map(() => message('user', note)), message('assistant', [{ type: 'text', text: 'sold' }])];
  const parts = [
    { role: 'assistant', parts: [{ type: 'tool_call', name: 'sell', arguments: rows }, { content: note }] },
  ];

  it.each([
    ['rows', rows],
    ['one long text', note.repeat(2_000)],
    ['arguments of one', [{ model: 'm', rows }]],
    ['a conversation', { model: 'm', tools: rows, messages }],
    ['a result of MCP', { content: [{ type: 'text', text: note.repeat(2_000) }], isError: true }],
    ['a conversation that ends in parts', { input: [...rows, ...parts] }],
  ])('are as far as they are shown those of all of it: %s', (_, value) => {
    const { payload } = encodeValue(value);
    const crossing: Crossing = {
      ...thrown(new Error('none')),
      input: payload,
      outcome: { type: 'returned', value: payload },
    };
    expect(payload.data?.length).toBeGreaterThan(300_000);
    for (const preview of [inputPreview, outcomePreview]) {
      const shown = preview(crossing, SHOWN);
      expect(shown.slice(0, SHOWN)).toBe(preview(crossing).slice(0, SHOWN));
      expect(shown.length).toBeLessThan(100_000);
    }
  });

  it('name what an error is also behind its long stack', () => {
    const error = Object.assign(new TypeError('no broker'), { code: 'GONE', stack: note.repeat(2_000) });
    expect(outcomePreview(thrown(error), SHOWN)).toBe('✗ TypeError GONE: no broker');
  });

  it('say of what is no JSON that it cannot be read', () => {
    const broken = { format: 'json', data: `${JSON.stringify(rows)}]`, digest: '' } as const;
    expect(() => inputPreview({ ...thrown(new Error('none')), input: broken }, SHOWN)).toThrow(SyntaxError);
  });
});

describe('the facts beside the name', () => {
  it('say which model a plain request asked, where its answer does not', () => {
    const asked = { ...thrown(new Error('none')), attributes: new Map([[ATTR_GEN_AI_REQUEST_MODEL, 'nova-pro']]) };
    expect(crossingFacts({ ...asked, kind: 'http', name: 'POST bedrock.example' })).toEqual(['nova-pro']);
    expect(crossingFacts(asked)).toEqual([]);
  });

  it.each([
    ['exception', ['uncaught exception']],
    ['rejection', ['unhandled rejection']],
    ['of another version', []],
  ])('say that nothing caught the error: %s', (origin, words) => {
    const attributes = new Map([[ATTR_REENACT_UNCAUGHT, origin]]);
    expect(crossingFacts({ ...thrown(new Error('none')), attributes })).toEqual(words);
  });
});
