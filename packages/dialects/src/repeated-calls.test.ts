import { fromMap, type PlainValue, type Span, type TracesData } from '@reenact/otlp';
import * as keys from '@reenact/semconv/gen-ai';
import { digestOf } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import { assembleRecording } from './assemble-recording.ts';
import { type ModelCall, repeatedCalls } from './repeated-calls.ts';

interface Told {
  readonly id: string;
  readonly scope?: string;
  readonly from: number;
  readonly until: number;
  readonly model?: string;
  readonly response?: string;
  readonly operation?: string;
}

function call({ id, scope = 'client', from, until, model = 'm-1', response, operation = 'chat' }: Told): ModelCall {
  const attributes: [string, PlainValue][] = [
    [keys.ATTR_GEN_AI_OPERATION_NAME, operation],
    [keys.ATTR_GEN_AI_REQUEST_MODEL, model],
    ...(response === undefined ? [] : [[keys.ATTR_GEN_AI_RESPONSE_ID, response] as [string, PlainValue]]),
  ];
  return {
    spanId: id,
    scope,
    startTimeUnixNano: BigInt(from),
    endTimeUnixNano: BigInt(until),
    attributes: new Map(attributes),
  };
}

function found(...told: readonly Told[]): Record<string, readonly string[]> {
  return Object.fromEntries(repeatedCalls(told.map(call)));
}

describe('a call that a framework and its client told of side by side', () => {
  const framework = { id: 'outer', scope: 'framework', from: 1, until: 9 };

  it('is one, with all attempts of the client', () => {
    expect(found(framework, { id: 'inner', from: 2, until: 8 })).toEqual({ outer: ['inner'] });
    expect(found({ id: 'first', from: 2, until: 3 }, { id: 'second', from: 4, until: 8 }, framework)).toEqual({
      outer: ['first', 'second'],
    });
  });

  it('is one where the client tells of Gemini in the words of its own API', () => {
    const inner = { id: 'inner', from: 2, until: 8, operation: 'generate_content' };
    expect(found(framework, inner)).toEqual({ outer: ['inner'] });
  });

  it('is one where the framework names the model as a router of several providers does', () => {
    const routed = { ...framework, model: 'provider/m-1' };
    expect(found(routed, { id: 'inner', from: 2, until: 8 })).toEqual({ outer: ['inner'] });
    expect(found(routed, { id: 'inner', from: 2, until: 8, model: 'provider' })).toEqual({});
  });

  it('is one where the framework counts from a whole millisecond, and its span is a part of one beside the call', () => {
    const early = { id: 'outer', scope: 'framework', from: 5_000_000, until: 9_753_704 };
    expect(found(early, { id: 'inner', from: 5_960_645, until: 9_811_657 })).toEqual({ outer: ['inner'] });
    expect(found(early, { id: 'inner', from: 4_960_645, until: 9_211_657 })).toEqual({ outer: ['inner'] });
    expect(found(early, { id: 'inner', from: 5_960_645, until: 10_753_705 })).toEqual({});
    expect(found(early, { id: 'inner', from: 3_999_999, until: 9_211_657 })).toEqual({});
    expect(found({ ...early, from: 5_000_001 }, { id: 'inner', from: 5_960_645, until: 9_811_657 })).toEqual({});
  });

  it.each<[string, Told]>([
    ['of the same scope', { id: 'inner', scope: 'framework', from: 2, until: 8 }],
    ['that goes on for longer', { id: 'inner', from: 2, until: 10 }],
    ['of another model', { id: 'inner', from: 2, until: 8, model: 'm-2' }],
    ['of another operation', { id: 'inner', from: 2, until: 8, operation: 'embeddings' }],
    ['with another response', { id: 'inner', from: 2, until: 8, response: 'r-2' }],
  ])('is not one %s', (_name, inner) => {
    expect(found({ ...framework, response: 'r-1' }, inner)).toEqual({});
  });

  it('has one call of the framework for each of the client, that with its response first', () => {
    const other = { id: 'other', scope: 'framework', from: 2, until: 10 };
    const parallel = [
      { id: 'a', from: 3, until: 7 },
      { id: 'b', from: 4, until: 8 },
    ];
    expect(Object.keys(found(framework, other, ...parallel)).sort()).toEqual(['other', 'outer']);
    const named = parallel.map((inner) => ({ ...inner, response: inner.id }));
    expect(found({ ...framework, response: 'a' }, { ...other, response: 'b' }, ...named)).toEqual({
      outer: ['a'],
      other: ['b'],
    });
  });
});

function span(id: string, attributes: Record<string, PlainValue>, more: Partial<Span>): Span {
  return {
    traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
    spanId: id.padStart(16, '0'),
    name: id,
    startTimeUnixNano: '1000',
    endTimeUnixNano: '9000',
    attributes: fromMap(Object.entries(attributes)),
    ...more,
  };
}

describe('a call of the client below a framework', () => {
  it('stands where the framework told of it', () => {
    const agent = span('a', { 'openinference.span.kind': 'AGENT', 'agent.name': 'desk' }, {});
    const within = { startTimeUnixNano: '3000', endTimeUnixNano: '7000' };
    const llm = { 'openinference.span.kind': 'LLM', 'llm.model_name': 'm-1', 'llm.system': 'openai' };
    const scopeSpans = [
      { scope: { name: 'framework' }, spans: [agent, span('b', llm, { parentSpanId: agent.spanId })] },
      { scope: { name: 'client' }, spans: [span('c', llm, within)] },
    ];
    const { crossings } = assembleRecording({ resourceSpans: [{ scopeSpans }] });
    expect(crossings.map(({ path, spanId }) => [path, spanId.at(-1)])).toEqual([
      ['agent:desk', 'a'],
      ['agent:desk/model:openai.chat', 'c'],
    ]);
  });
});

const own = span(
  'a',
  {
    'reenact.schema': '1',
    'reenact.boundary': 'model',
    'reenact.name': 'openai.chat',
    'reenact.call': 'promise',
    'reenact.outcome': 'returned',
    'reenact.input': '[1]',
    'reenact.input.digest': digestOf('[1]'),
    'reenact.output': '2',
    'reenact.output.digest': digestOf('2'),
    [keys.ATTR_GEN_AI_OPERATION_NAME]: 'chat',
    [keys.ATTR_GEN_AI_REQUEST_MODEL]: 'm-1',
  },
  { startTimeUnixNano: '2000', endTimeUnixNano: '8000' },
);
function traceOf(other: Span): TracesData {
  const scopeSpans = [
    { scope: { name: 'reenact' }, spans: [own] },
    { scope: { name: 'opentelemetry.instrumentation.openai' }, spans: [other] },
  ];
  return { resourceSpans: [{ scopeSpans }] };
}

describe('a call of which Reenact recorded one side', () => {
  const told = {
    [keys.ATTR_GEN_AI_OPERATION_NAME]: 'chat',
    [keys.ATTR_GEN_AI_REQUEST_MODEL]: 'm-1',
    [keys.ATTR_GEN_AI_PROVIDER_NAME]: 'openai',
  };

  it.each<[string, Partial<Span>]>([
    ['beside it', {}],
    ['inside it', { parentSpanId: own.spanId, startTimeUnixNano: '3000', endTimeUnixNano: '7000' }],
  ])('is that one, whatever another instrumentation says %s', (_name, more) => {
    const { crossings, replayability } = assembleRecording(traceOf(span('b', told, more)));
    expect(crossings.map(({ spanId }) => spanId)).toEqual([own.spanId]);
    expect(replayability.verdict).toBe('full');
  });

  it.each<[string, Record<string, PlainValue>]>([
    ['a tool', { 'openinference.span.kind': 'TOOL', 'tool.name': 'find_order' }],
    ['a model call', { 'openinference.span.kind': 'LLM', 'llm.model_name': 'm-2', 'llm.system': 'anthropic' }],
    ['a function', { 'traceloop.span.kind': 'tool', 'traceloop.entity.name': 'find_order' }],
    ['an application', { 'ai.operationId': 'ai.generateText', 'ai.model.id': 'm-1' }],
  ])('leaves %s that is told of in another vocabulary transparent: its code runs again', (_name, attributes) => {
    const { crossings, replayability } = assembleRecording(traceOf(span('b', attributes, {})));
    expect(crossings.map(({ spanId }) => spanId)).toEqual([own.spanId]);
    expect(replayability.verdict).toBe('full');
  });
});

describe('what a framework tells of, as the conventions do, around calls that Reenact recorded', () => {
  const framework = {
    [keys.ATTR_GEN_AI_OPERATION_NAME]: 'invoke_agent',
    [keys.ATTR_GEN_AI_AGENT_NAME]: 'Strands Agent',
  };
  const frameworkTool = { [keys.ATTR_GEN_AI_OPERATION_NAME]: 'execute_tool', [keys.ATTR_GEN_AI_TOOL_NAME]: 'calc' };

  it.each([
    ['an agent', framework],
    ['a tool', frameworkTool],
  ])('leaves %s transparent that a framework in its process tells of as the conventions do', (_name, attributes) => {
    const { crossings, replayability } = assembleRecording(traceOf(span('b', attributes, {})));
    expect(crossings.map(({ spanId }) => spanId)).toEqual([own.spanId]);
    expect(replayability.verdict).toBe('full');
  });

  it('shows what another process of the same trace tells of', () => {
    const { resourceSpans } = traceOf(span('b', { [keys.ATTR_GEN_AI_OPERATION_NAME]: 'chat' }, {}));
    const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'desk-in-python' } }] };
    const elsewhere = { resource, scopeSpans: [{ scope: { name: 'desk' }, spans: [span('c', frameworkTool, {})] }] };
    const { crossings } = assembleRecording({ resourceSpans: [...resourceSpans, elsewhere] });
    expect(crossings.map(({ name }) => name)).toContain('calc');
  });
});
