import { assembleRecording } from '@reenact/dialects';
import { fromMap, type PlainValue, type Span } from '@reenact/otlp';
import { buildRecording } from '@reenact/recordings/testing';
import { ATTR_GEN_AI_OPERATION_NAME, ATTR_GEN_AI_PROVIDER_NAME } from '@reenact/semconv/gen-ai';
import type { Exchange, Recording } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import { openAiProtocol } from './openai/openai-protocol.ts';
import { type ServedView, servedView } from './served-view.ts';

function exchangeOf(path: string): Exchange {
  const request = { method: 'POST', url: `https://api.openai.com${path}`, headers: [] };
  return { layer: 'fetch', attempt: 1, startedAtUnixNano: '1790000000000000000', request };
}

const chat = { label: 'model:openai.chat', call: 'exchange', exchanges: [exchangeOf('/v1/chat/completions')] } as const;

function view(recording: Recording, spanId?: string): ServedView {
  return servedView(recording, spanId, [openAiProtocol]);
}

const nested = buildRecording({
  label: 'agent:trader',
  children: [
    { label: 'tool:research', children: [chat, { label: 'database:SELECT' }] },
    { ...chat, children: [] },
    { label: 'tool:order' },
    { label: 'tool:order' },
    { label: 'model:my-model', output: 'a value of a wrapper' },
  ],
});

describe('the view of a provider', () => {
  it('holds the model calls of the whole run below its root, with the paths they had', () => {
    const { served, root, outside } = view(nested);
    expect(served.map(({ path, parentSpanId }) => [path, parentSpanId])).toEqual([
      ['agent:trader/tool:research/model:openai.chat', root.spanId],
      ['agent:trader/model:openai.chat', root.spanId],
    ]);
    expect(root.path).toBe('agent:trader');
    expect([...outside]).toEqual([
      ['tool:research', 1],
      ['database:SELECT', 1],
      ['tool:order', 2],
      ['model:my-model', 1],
    ]);
  });

  it('holds only what lies below the span that was named', () => {
    const { served, root } = view(nested, '0000000000000002');
    expect(served.map(({ path }) => path)).toEqual(['agent:trader/tool:research/model:openai.chat']);
    expect(root.path).toBe('agent:trader/tool:research');
    expect(root.parentSpanId).toBeUndefined();
  });

  it('makes a root where a model call is one itself', () => {
    const { served, root } = view(buildRecording(chat));
    expect(served).toHaveLength(1);
    expect(root.spanId).not.toBe(served[0]?.spanId);
    expect(root.outcome.type).toBe('pending');
  });

  it('refuses a span that the recording does not hold', () => {
    expect(() => view(nested, 'ffffffffffffffff')).toThrowError(expect.objectContaining({ code: 'not-found' }));
  });

  it('knows an API by the address that was asked, whatever stands in front of it', () => {
    const paths = ['/openai/deployments/x/chat/completions', '/v1/responses', '/v1/embeddings', '/v1/files'];
    const names = paths.map(
      (path) => view(buildRecording({ ...chat, exchanges: [exchangeOf(path)] })).served[0]?.name ?? 'outside',
    );
    expect(names).toEqual(['openai.chat', 'openai.responses', 'openai.embeddings', 'outside']);
  });

  it('leaves out a call that failed before anything was sent', () => {
    const failed = { label: 'model:openai.chat', call: 'exchange', error: new TypeError('no token') } as const;
    expect(view(buildRecording({ label: 'agent:a', children: [failed, chat] })).served).toHaveLength(1);
  });
});

function foreignSpan(id: string, parent: string | undefined, attributes: Record<string, PlainValue>): Span {
  return {
    traceId: 'a'.repeat(32),
    spanId: id.repeat(16),
    ...(parent === undefined ? {} : { parentSpanId: parent.repeat(16) }),
    name: `span ${id}`,
    startTimeUnixNano: '1',
    endTimeUnixNano: '2',
    attributes: fromMap(Object.entries(attributes)),
  };
}

function chatOf(provider: string): Record<string, PlainValue> {
  return { [ATTR_GEN_AI_OPERATION_NAME]: 'chat', [ATTR_GEN_AI_PROVIDER_NAME]: provider };
}

describe('the view of a foreign trace', () => {
  const spans = [
    foreignSpan('1', undefined, {}),
    foreignSpan('2', '1', chatOf('langchain')),
    foreignSpan('3', '2', {}),
    foreignSpan('4', '3', chatOf('deepseek')),
    foreignSpan('5', '1', chatOf('anthropic')),
  ];
  const recording = assembleRecording({ resourceSpans: [{ scopeSpans: [{ spans }] }] });

  it('counts the innermost model call, below the span of the request', () => {
    const { served, root } = view(recording);
    expect(served.map(({ spanId, name }) => [spanId, name])).toEqual([['4'.repeat(16), 'openai.chat']]);
    expect(root).toMatchObject({ spanId: '1'.repeat(16), path: 'agent:span 1' });
  });

  it('leaves providers with a protocol of their own outside', () => {
    expect([...view(recording).outside.keys()]).toEqual(['model:anthropic.chat']);
  });
});
