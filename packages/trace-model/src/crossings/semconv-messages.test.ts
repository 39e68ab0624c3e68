import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffTrees } from '../json/json-diff.ts';
import { payloadOf } from '../payloads/payload.ts';
import { canonicalKey, canonicalPolicy, canonicalTree, semconvMessagesPolicy } from './canonical-input.ts';
import { semconvMember, semconvMessages } from './semconv-messages.ts';

function canonical(request: unknown): unknown {
  return semconvMessages(request);
}

const text = (content: string): unknown => ({ type: 'text', content });

describe('answers of tools', () => {
  const answerOf = (id: string): unknown => ({ type: 'tool_call_response', id, response: '4711' });

  it('are of the tool, each by itself, also where they were gathered in a message of the user', () => {
    const sent = ['c1', 'c2'].map((id) => ({ role: 'tool', tool_call_id: id, content: '4711' }));
    const gathered = {
      role: 'user',
      parts: [answerOf('c1'), { type: 'tool_call_response', id: 'c2', result: '4711' }],
    };
    expect(canonical({ messages: [gathered] })).toEqual(canonical({ messages: sent }));
    expect(canonical({ messages: sent })).toMatchObject({ messages: [{ role: 'tool' }, { role: 'tool' }] });
  });

  it('are read as JSON also where they have megabytes, and escapes by the million', () => {
    const long = JSON.stringify({ text: 'a\n"'.repeat(3_000_000) });
    const request = (response: unknown): unknown => ({
      messages: [{ role: 'tool', parts: [{ type: 'tool_call_response', id: 'c1', response }] }],
    });
    expect(canonical(request(long))).toEqual(canonical(request(JSON.parse(long))));
  });

  it('are compared as text where they are no tree of JSON, or hold a number that a double cannot tell from others', () => {
    const long = '1234567890123456';
    const answers: readonly (readonly [answer: string, read: unknown])[] = [
      ['4711', '4711'],
      ['null', 'null'],
      ['"{}"', '"{}"'],
      ['\ufeff{}', '\ufeff{}'],
      ['\u00a0{}', '\u00a0{}'],
      ['{"a":', '{"a":'],
      [` \t\r\n{"a":["${long}"]}`, { a: [long] }],
      [`{"a\\"${long}":1}`, { [`a"${long}`]: 1 }],
      [`[${long}]`, `[${long}]`],
      [`["x",{"b":[0.${long}]}]`, `["x",{"b":[0.${long}]}]`],
      ['[12345678"a"90123456]', '[12345678"a"90123456]'],
    ];
    for (const [answer, read] of answers) {
      const parts = [{ type: 'tool_call_response', id: 'c1', response: answer }];
      const expected = {
        messages: [{ role: 'tool', parts: [{ type: 'tool_call_response', id: 'c1', response: read }] }],
      };
      expect(canonical({ messages: [{ role: 'tool', parts }] })).toEqual(expected);
    }
  });

  it('leave what the user said beside them', () => {
    const both = { role: 'user', parts: [answerOf('c1'), text('And 4712?')] };
    const sent = [
      { role: 'tool', tool_call_id: 'c1', content: '4711' },
      { role: 'user', content: 'And 4712?' },
    ];
    expect(canonical({ messages: [both] })).toEqual(canonical({ messages: sent }));
  });
});

describe('one request written in two ways', () => {
  const asSent = {
    model: 'gpt-5-mini',
    messages: [
      { role: 'developer', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Where is ' },
          { type: 'text', text: '4711?' },
        ],
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'find', arguments: '{"number": "4711"}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: '{ "parcel": "PX" }' },
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }] },
    ],
    tools: [{ type: 'function', function: { name: 'find', description: 'Finds.', parameters: { type: 'object' } } }],
    max_completion_tokens: 50,
    stop: 'END',
    response_format: { type: 'json_schema', json_schema: {} },
  };
  const asRecorded = {
    model: 'gpt-5-mini',
    messages: [
      { role: 'system', parts: [text('Be brief.')], name: null },
      { role: 'user', parts: [text('Where is '), text('4711?')] },
      { role: 'assistant', parts: [{ type: 'tool_call', id: 'c1', name: 'find', arguments: { number: '4711' } }] },
      { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c1', response: '{"parcel":"PX"}' }] },
      { role: 'user', parts: [{ type: 'blob', mime_type: 'image/png', modality: 'image', content: 'AAAA' }] },
    ],
    tools: [{ type: 'function', name: 'find', description: 'Finds.', parameters: { type: 'object' } }],
    max_tokens: 50,
    stop: ['END'],
    output_type: 'json',
  };

  it('is equal, and nothing of it is lost on the way', () => {
    expect(canonical(asSent)).toEqual(canonical(asRecorded));
    expect(canonical(asRecorded)).toMatchObject({
      messages: [{ role: 'system' }, { parts: [text('Where is 4711?')] }, {}, {}, {}],
      tool_names: ['find'],
      max_tokens: 50,
    });
  });

  it('stays what it is when it is put into form again', () => {
    expect(canonical(canonical(asSent))).toEqual(canonical(asSent));
  });

  it.each<[string, object, string]>([
    ['a prompt', { messages: [{ role: 'system', content: 'Be long.' }] }, '$.messages[0].parts[0].content'],
    ['a model', { model: 'gpt-5' }, '$.model'],
    ['a limit', { max_completion_tokens: 51 }, '$.max_tokens'],
    ['a tool', { tools: [{ type: 'function', function: { name: 'seek' } }] }, '$.tools[0].name'],
    ['a stop sequence', { stop: ['STOP'] }, '$.stop[0]'],
    ['an output type', { response_format: { type: 'text' } }, '$.output_type'],
  ])('differs in %s that changed, at its path', (_name, change, path) => {
    const { entries } = diffTrees(canonical(asRecorded), canonical({ ...asSent, ...change }));
    expect(entries.map((entry) => entry.path)).toContain(path);
  });
});

describe('tool arguments', () => {
  const callWith = (argumentsText: unknown): unknown => ({
    messages: [{ role: 'assistant', tool_calls: [{ id: 'a', function: { name: 'f', arguments: argumentsText } }] }],
  });

  it('are compared by what they mean, whatever the white space', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const spaced = JSON.stringify(value, undefined, 2);
        if (/\d{16}/.test(spaced)) return;
        expect(canonical(callWith(spaced))).toEqual(canonical(callWith(JSON.stringify(value))));
        expect(canonical(callWith(spaced))).toEqual(
          canonical({
            messages: [
              { role: 'assistant', parts: [{ type: 'tool_call', id: 'a', name: 'f', arguments: JSON.parse(spaced) }] },
            ],
          }),
        );
      }),
    );
  });

  it('of two numbers that no double can tell apart are different', () => {
    const [first, second] = ['{"id":12345678901234567890}', '{"id":12345678901234567891}'];
    expect(canonical(callWith(first))).not.toEqual(canonical(callWith(second)));
  });

  it('that are missing, empty text or an empty object are the same', () => {
    expect(canonical(callWith(''))).toEqual(canonical(callWith('{}')));
    expect(canonical(callWith(undefined))).toEqual(canonical(callWith('{}')));
  });

  it('that are no JSON stay text', () => {
    expect(canonical(callWith('not json'))).not.toEqual(canonical(callWith('not  json')));
  });
});

describe('the form', () => {
  it('takes anything without throwing', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (messages, tools) => {
        semconvMessages({ messages, tools });
        semconvMessages(messages);
      }),
    );
  });

  it('keeps images, files and sound apart from each other', () => {
    const forms = [
      { type: 'image_url', image_url: { url: 'https://a/b.png' } },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,QQ==' } },
      { type: 'file', file: { file_id: 'f1' } },
      { type: 'file', file: { file_data: 'QQ==' } },
      { type: 'input_audio', input_audio: { data: 'QQ==', format: 'wav' } },
    ].map((part) => JSON.stringify(canonical({ messages: [{ role: 'user', content: [part] }] })));
    expect(new Set(forms).size).toBe(forms.length);
  });
});

describe('the policy', () => {
  it('compares exactly the members it names, and is known by its name', () => {
    const policy = semconvMessagesPolicy(['model', 'messages']);
    expect(policy.name).toBe('semconv-messages/1(model,messages)');
    expect(canonicalPolicy(policy.name)).toEqual(policy);
    const tree = canonicalTree(policy, { model: 'm', temperature: 1, messages: [{ role: 'user', content: 'q' }] });
    expect(tree).toEqual({ model: 'm', messages: [{ role: 'user', parts: [text('q')] }] });
  });

  it('gives one key to a request however it is written', () => {
    const policy = semconvMessagesPolicy(['messages']);
    const sent = payloadOf('json', JSON.stringify({ messages: [{ role: 'user', content: 'q' }], user: 'u' }));
    const recorded = payloadOf('json', JSON.stringify({ messages: [{ parts: [text('q')], role: 'user' }] }));
    expect(canonicalKey(policy, sent)).toBe(canonicalKey(policy, recorded));
  });

  it('of a version nobody knows is unknown', () => {
    expect(canonicalPolicy('semconv-messages/2(model)')).toBeUndefined();
    expect(canonicalPolicy('semconv-messages/1(model')).toBeUndefined();
  });

  it('knows which member of a request is compared under which name', () => {
    expect(['max_completion_tokens', 'response_format', 'temperature'].map(semconvMember)).toEqual([
      'max_tokens',
      'output_type',
      'temperature',
    ]);
  });
});
