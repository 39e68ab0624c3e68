import { fromMap, type PlainValue, type Span, toMap } from '@reenact/otlp';
import * as keys from '@reenact/semconv/gen-ai';
import { inputPreview, outcomePreview } from '@reenact/trace-model';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assembleRecording } from './assemble-recording.ts';
import { readCrossing } from './crossing-tree.ts';
import { semconvAttributes } from './semconv-attributes.ts';

function spanWith(attributes: Readonly<Record<string, PlainValue>>, more: Partial<Span> = {}): Span {
  return {
    traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
    spanId: '00000000000000a1',
    name: 'call',
    startTimeUnixNano: '1000',
    endTimeUnixNano: '2000',
    attributes: fromMap(Object.entries(attributes)),
    ...more,
  };
}

const marks: readonly Readonly<Record<string, PlainValue>>[] = [
  ...['LLM', 'EMBEDDING', 'TOOL', 'AGENT', 'CHAIN', 'RETRIEVER', 'RERANKER', 'GUARDRAIL', 'llm', ''].map((kind) => ({
    'openinference.span.kind': kind,
  })),
  ...['chat', 'completion', 'embedding', 'rerank', 'unknown'].map((type) => ({ 'llm.request.type': type })),
  ...['workflow', 'task', 'agent', 'tool'].map((kind) => ({ 'traceloop.span.kind': kind })),
  ...['generateText', 'generateText.doGenerate', 'streamText.doStream', 'toolCall', 'embed.doEmbed', 'rerank'].map(
    (operation) => ({ 'ai.operationId': `ai.${operation}` }),
  ),
  ...['generation', 'tool', 'agent', 'retriever', 'span'].map((type) => ({ 'langfuse.observation.type': type })),
  ...['chat', 'invoke_agent'].map((operation) => ({
    'mastra.span.type': 'agent_run',
    [keys.ATTR_GEN_AI_OPERATION_NAME]: operation,
  })),
  { 'pydantic_ai.all_messages': '[{"role":"user","content":"x"},{"role":"assistant"}]' },
];

const indices = fc.constantFrom('0', '1', '2', '7', '10000', '10001', '999999999', '-1', '1e3', '__proto__', '');

/** Keys that the vocabularies read, of which a flattened list may stand at any index. */
const key = fc.oneof(
  fc.constantFrom(
    ...['input.value', 'input.mime_type', 'output.value', 'output.mime_type', 'llm.invocation_parameters'],
    ...['llm.model_name', 'llm.system', 'llm.provider', 'llm.finish_reason', 'llm.token_count.prompt', 'tool.name'],
    ...['embedding.invocation_parameters', 'reranker.top_k', 'session.id', keys.ATTR_GEN_AI_SYSTEM, 'llm.is_streaming'],
    ...[
      keys.ATTR_GEN_AI_USAGE_PROMPT_TOKENS,
      'llm.chat.stop_sequences',
      'traceloop.entity.input',
      'traceloop.entity.name',
    ],
    ...['traceloop.association.properties.session_id', 'ai.prompt', 'ai.prompt.messages', 'ai.prompt.tools'],
    ...['ai.response.text', 'ai.response.toolCalls', 'ai.response.finishReason', 'ai.model.provider', 'ai.values'],
    ...['ai.embeddings', 'ai.usage.inputTokens', 'ai.toolCall.args', 'ai.response.msToFirstChunk', 'ai.settings.seed'],
    ...[
      'langfuse.observation.input',
      'langfuse.observation.output',
      'langfuse.observation.model.parameters',
      'metadata',
    ],
    ...['langfuse.observation.usage_details', 'mastra.agent_run.input', 'mastra.metadata.userId', 'final_result'],
    ...['pydantic_ai.new_message_index', 'pydantic_ai.all_messages', 'tool_arguments', 'traceloop.entity.output'],
    ...['ai.telemetry.metadata.sessionId', keys.ATTR_GEN_AI_INPUT_MESSAGES, keys.ATTR_GEN_AI_RESPONSE_FINISH_REASONS],
  ),
  fc
    .tuple(
      fc.constantFrom('llm.input_messages', 'llm.output_messages'),
      indices,
      fc.constantFrom('role', 'content', 'name', 'contents.0.message_content.type', 'tool_calls.1.tool_call.id'),
    )
    .map(([list, index, member]) => `${list}.${index}.message.${member}`),
  fc
    .tuple(
      fc.constantFrom(
        keys.ATTR_GEN_AI_PROMPT,
        keys.ATTR_GEN_AI_COMPLETION,
        'llm.request.functions',
        'llm.tools',
        'retrieval.documents',
      ),
      indices,
      fc.constantFrom('role', 'content', 'name', 'parameters', 'tool_calls.3.name', 'tool.json_schema', 'document.id'),
    )
    .map(([list, index, member]) => `${list}.${index}.${member}`),
);

const value: fc.Arbitrary<PlainValue> = fc.oneof(
  fc.constantFrom('', '{', '[', '[{"', 'null', '0', '12', '-0.5', 'NaN', 'application/json', 'openai', 'user', 'tool'),
  fc.constantFrom(
    '{"messages":[1]}',
    '{"model":7,"stop":[null]}',
    '[{"role":"tool","content":[{"type":"tool-result"}]}]',
  ),
  fc.constantFrom(
    '{"messages":[[{"lc":1,"id":[{"toString":1}],"kwargs":{}}]]}',
    '{"type":"tool","data":{"tool_call_id":{"toString":1},"content":[7]}}',
    '{"generations":[[{"message":{"lc":1,"id":["AIMessage"],"kwargs":{"tool_calls":[1,{}],"content":[{"type":{"toString":1}}]}}}]]}',
    '["stop",{"toString":1}]',
  ),
  fc.constantFrom('[{"type":"text"}]', '[null,1,"x",[]]', '{"llm_output":{"id":{}}}', '{"__proto__":{"type":"x"}}'),
  fc.jsonValue({ maxDepth: 3 }).map((tree) => JSON.stringify(tree)),
  fc.string(),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
  fc.array(fc.string(), { maxLength: 3 }),
  fc.dictionary(fc.string(), fc.integer(), { maxKeys: 2 }),
);

const anySpan = fc
  .tuple(fc.constantFrom(...marks), fc.dictionary(key, value, { maxKeys: 12 }), fc.boolean())
  .map(([mark, attributes, isRoot]) =>
    spanWith({ ...attributes, ...mark }, isRoot ? {} : { parentSpanId: '00000000000000a2' }),
  );

const usageKeys: readonly string[] = [
  keys.ATTR_GEN_AI_USAGE_INPUT_TOKENS,
  keys.ATTR_GEN_AI_USAGE_OUTPUT_TOKENS,
  keys.ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS,
  keys.ATTR_GEN_AI_USAGE_REASONING_OUTPUT_TOKENS,
];

/** What is said anew, because it stands there as the conventions do not say it. */
const saidAnew: readonly string[] = [
  keys.ATTR_GEN_AI_SYSTEM,
  keys.ATTR_GEN_AI_PROVIDER_NAME,
  keys.ATTR_GEN_AI_RESPONSE_FINISH_REASONS,
];

describe('attributes of other vocabularies, however broken', () => {
  it('are read without an error, and all that was received stays beside what is said anew', () => {
    fc.assert(
      fc.property(anySpan, (span) => {
        const received = toMap(span.attributes);
        const translated = semconvAttributes(span);
        for (const [name, said] of received) {
          if (said !== null && !saidAnew.includes(name)) expect(translated.get(name)).toEqual(said);
        }
        for (const [name, said] of translated) {
          if (usageKeys.includes(name) && !received.has(name)) expect(Number.isFinite(said)).toBe(true);
        }
        expect(readCrossing(span)?.damage ?? []).toEqual([]);
      }),
      { numRuns: 5_000 },
    );
  });

  it('give the same when they are read again', () => {
    fc.assert(
      fc.property(anySpan, (span) => {
        const once = semconvAttributes(span);
        expect([...semconvAttributes({ ...span, attributes: fromMap(once) })]).toEqual([...once]);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('numbers', () => {
  it.each<[PlainValue, number | undefined]>([
    ['12', 12],
    [0, 0],
    ['', undefined],
    ['many', undefined],
    [[12], undefined],
  ])('that are %j', (given, count) => {
    const span = spanWith({ 'openinference.span.kind': 'LLM', 'llm.token_count.prompt': given });
    expect(semconvAttributes(span).get(keys.ATTR_GEN_AI_USAGE_INPUT_TOKENS)).toBe(count);
  });
});

it.each([
  [250, 0.25],
  [0, 0],
  [-250, undefined],
  [-Number.MIN_VALUE, undefined],
])('a first chunk that came after %j ms', (ms, seconds) => {
  const span = spanWith({ 'ai.operationId': 'ai.streamText.doStream', 'ai.response.msToFirstChunk': ms });
  expect(semconvAttributes(span).get(keys.ATTR_GEN_AI_RESPONSE_TIME_TO_FIRST_CHUNK)).toBe(seconds);
});

describe('flattened messages', () => {
  const kind = { 'openinference.span.kind': 'LLM' };

  function messagesOf(attributes: Record<string, PlainValue>): unknown {
    const said = semconvAttributes(spanWith(attributes)).get(keys.ATTR_GEN_AI_INPUT_MESSAGES);
    return typeof said === 'string' ? JSON.parse(said) : undefined;
  }

  it('are in the order of their indices, as numbers', () => {
    const said = [10, 9, 0, 8, 1, 2, 3, 4, 5, 6, 7].map((index) => [
      `${keys.ATTR_GEN_AI_PROMPT}.${index}.content`,
      `${index}`,
    ]);
    const messages = messagesOf({ 'llm.request.type': 'chat', ...Object.fromEntries(said) });
    expect(messages).toEqual(
      Array.from({ length: 11 }, (_, index) => ({ role: 'user', parts: [{ type: 'text', content: `${index}` }] })),
    );
  });

  it('take no room for indices that are far away, and none beyond the limit is read', () => {
    const at = (index: number) => ({ [`llm.input_messages.${index}.message.content`]: `at ${index}` });
    expect(messagesOf({ ...kind, ...at(3), ...at(9_999), ...at(999_999_999) })).toEqual([
      { role: 'user', parts: [{ type: 'text', content: 'at 3' }] },
      { role: 'user', parts: [{ type: 'text', content: 'at 9999' }] },
    ]);
  });

  it.each<[string, Record<string, PlainValue>, Partial<Span>, RegExp]>([
    ['with a gap', { 'llm.input_messages.7.message.content': 'hi' }, {}, /messages of its input are missing/],
    [
      'of which the SDK dropped some',
      { 'llm.input_messages.0.message.content': 'hi' },
      { droppedAttributesCount: 3 },
      /dropped 3 attributes/,
    ],
  ])('%s are shown, and no answer is rebuilt from them', (_name, attributes, more, lack) => {
    const answered = { 'llm.output_messages.0.message.content': 'ho' };
    const span = spanWith({ ...kind, ...attributes, ...answered }, more);
    const { crossings, replayability } = assembleRecording({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] });
    expect(crossings.map((crossing) => [inputPreview(crossing), outcomePreview(crossing)])).toEqual([
      ['user: hi', 'ho'],
    ]);
    expect(crossings[0]?.reconstructed).toBeUndefined();
    expect(replayability.verdict).toBe('cold');
    expect(replayability.missing.map(({ detail }) => detail).join(' ')).toMatch(lack);
  });

  it('are those of the body that was sent where some of them were dropped', () => {
    const body = {
      messages: [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: 'ho' },
      ],
    };
    const sent = { 'llm.system': 'openai', 'input.mime_type': 'application/json', 'input.value': JSON.stringify(body) };
    expect(messagesOf({ ...kind, ...sent, 'llm.input_messages.1.message.content': 'ho' })).toHaveLength(2);
  });
});

describe('values that are nested deeper than they can be written again', () => {
  const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;

  it.each<[string, Record<string, PlainValue>]>([
    [
      'a message',
      { 'ai.operationId': 'ai.generateText.doGenerate', 'ai.prompt.messages': `[{"role":"user","content":[${deep}]}]` },
    ],
    [
      'a call',
      { 'ai.operationId': 'ai.generateText.doGenerate', 'ai.response.toolCalls': `[{"toolName":"t","input":${deep}}]` },
    ],
    ['a tool', { 'llm.request.type': 'chat', 'llm.request.functions.0.parameters': `{"a":${deep}}` }],
    [
      "a message in the conventions' own words",
      {
        [keys.ATTR_GEN_AI_OPERATION_NAME]: 'chat',
        [keys.ATTR_GEN_AI_INPUT_MESSAGES]: `[{"role":"user","parts":[{"type":"x","a":${deep}}]}]`,
      },
    ],
    ['a document', { 'openinference.span.kind': 'RETRIEVER', 'retrieval.documents.0.document.metadata': deep }],
  ])('are left out: %s', (_name, attributes) => {
    const translated = semconvAttributes(spanWith(attributes));
    expect(translated.get(keys.ATTR_GEN_AI_OPERATION_NAME)).toMatch(/chat|retrieval/);
    expect(readCrossing(spanWith(attributes))?.damage).toEqual([]);
  });
});
