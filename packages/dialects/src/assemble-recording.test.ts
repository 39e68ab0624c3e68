import { fromMap, type PlainValue, type Span, type TracesData } from '@reenact/otlp';
import { ATTR_GEN_AI_OPERATION_NAME, ATTR_GEN_AI_TOOL_NAME } from '@reenact/semconv/gen-ai';
import { digestOf } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import { assembleRecording } from './assemble-recording.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';

interface SpanFacts {
  readonly id: string;
  readonly parentSpan?: string;
  readonly start?: number;
  readonly attributes?: Record<string, PlainValue>;
}

function span({ id, parentSpan, start = 0, attributes = {} }: SpanFacts): Span {
  return {
    traceId,
    spanId: id.padStart(16, '0'),
    ...(parentSpan === undefined ? {} : { parentSpanId: parentSpan.padStart(16, '0') }),
    name: `span ${id}`,
    startTimeUnixNano: String(1_000 + start),
    endTimeUnixNano: String(2_000 + start),
    attributes: fromMap(Object.entries(attributes)),
  };
}

/** A whole crossing: input `[1]`, returned `2`. */
function crossing(facts: SpanFacts & { kind?: string; name?: string; parent?: string; order?: number }): Span {
  return span({
    ...facts,
    attributes: {
      'reenact.schema': '1',
      'reenact.boundary': facts.kind ?? 'tool',
      'reenact.name': facts.name ?? 'get_quote',
      ...(facts.parent === undefined ? {} : { 'reenact.parent': facts.parent.padStart(16, '0') }),
      'reenact.order': facts.order ?? 0,
      'reenact.settled': 0,
      'reenact.call': 'promise',
      'reenact.outcome': 'returned',
      'reenact.input': '[1]',
      'reenact.input.digest': digestOf('[1]'),
      'reenact.output': '2',
      'reenact.output.digest': digestOf('2'),
      ...facts.attributes,
    },
  });
}

function recordingOf(...spans: Span[]): ReturnType<typeof assembleRecording> {
  return assembleRecording({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
}

function causesOf(...spans: Span[]): string[] {
  return recordingOf(...spans).replayability.missing.map(({ cause }) => cause);
}

const agent = { kind: 'agent', name: 'trader' };

describe('the tree', () => {
  it('has parents before children, siblings in start order, and counts equal names', () => {
    const recording = recordingOf(
      crossing({ id: 'c', parent: 'a', order: 2 }),
      crossing({ id: 'b', parent: 'a', order: 0 }),
      crossing({ id: 'd', parent: 'a', order: 1, kind: 'model', name: 'openai.chat' }),
      crossing({ id: 'a', ...agent }),
    );
    expect(recording.crossings.map(({ path }) => path)).toEqual([
      'agent:trader',
      'agent:trader/tool:get_quote',
      'agent:trader/model:openai.chat',
      'agent:trader/tool:get_quote#2',
    ]);
    expect(recording.roots.map(({ spanId }) => spanId)).toEqual(['a'.padStart(16, '0')]);
  });

  it('goes by recorded order, whatever the clocks said', () => {
    const recording = recordingOf(
      crossing({ id: 'a', ...agent }),
      crossing({ id: 'b', parent: 'a', order: 1, start: 1, name: 'second' }),
      crossing({ id: 'c', parent: 'a', order: 0, start: 900, name: 'first' }),
    );
    expect(recording.crossings.map(({ name }) => name)).toEqual(['trader', 'first', 'second']);
  });

  it('does not need the transparent spans in between, and falls back on them without reenact.parent', () => {
    const named = recordingOf(crossing({ id: 'a', ...agent }), crossing({ id: 'b', parent: 'a', parentSpan: 'dead' }));
    expect(named.crossings[1]?.path).toBe('agent:trader/tool:get_quote');
    const derived = recordingOf(
      crossing({ id: 'a', ...agent }),
      span({ id: 'f', parentSpan: 'a' }),
      crossing({ id: 'b', parentSpan: 'f' }),
    );
    expect(derived.crossings[1]?.parentSpanId).toBe('a'.padStart(16, '0'));
  });

  it('keeps crossings whose parents form a ring or never arrived', () => {
    expect(recordingOf(crossing({ id: 'a', parent: 'b' }), crossing({ id: 'b', parent: 'a' })).crossings).toHaveLength(
      2,
    );
    const orphan = recordingOf(crossing({ id: 'a', parent: 'dead' }));
    expect(orphan.roots).toHaveLength(1);
    expect(orphan.replayability).toMatchObject({ verdict: 'partial', missing: [{ cause: 'missing-parent' }] });
  });
});

const longText = `["${'x'.repeat(2 * 1024 * 1024)}"`;

describe('the facts of a recording', () => {
  const groupOf = (script: string, ...spans: Span[]) => ({
    resource: { attributes: fromMap([['process.command_args', ['node', script]]]) },
    scopeSpans: [{ spans }],
  });

  it.each(['before', 'after'])('are those of the process that began it where those of a child came %s', (when) => {
    const own = groupOf('agent.js', crossing({ id: 'a', ...agent }));
    const child = groupOf('worker.js', crossing({ id: 'b', parent: 'a', parentSpan: 'a', start: 1 }));
    const { resource } = assembleRecording({ resourceSpans: when === 'before' ? [child, own] : [own, child] });
    expect(resource.get('process.command_args')).toEqual(['node', 'agent.js']);
  });

  it('are those of the process that began it where a span without a start stands below none', () => {
    const own = groupOf('agent.js', crossing({ id: 'a', ...agent }));
    const stray = groupOf('worker.js', { ...crossing({ id: 'b' }), startTimeUnixNano: '0' });
    for (const resourceSpans of [
      [stray, own],
      [own, stray],
    ]) {
      const { resource } = assembleRecording({ resourceSpans });
      expect(resource.get('process.command_args')).toEqual(['node', 'agent.js']);
    }
    expect(assembleRecording({ resourceSpans: [stray] }).resource.size).toBe(1);
  });

  it('say of each crossing the number of the process it was called in, however it is written, where it can be one', () => {
    const said = [{ intValue: '1' }, { stringValue: '77' }, { stringValue: 'none' }, { intValue: '-5' }, undefined];
    const resourceSpans = said.map((value, index) => ({
      resource: { attributes: value === undefined ? [] : [{ key: 'process.pid', value }] },
      scopeSpans: [{ spans: [crossing({ id: `${index}`, start: index })] }],
    }));
    const { crossings } = assembleRecording({ resourceSpans });
    expect(crossings.map(({ processId }) => processId)).toEqual([1, 77, undefined, undefined, undefined]);
  });
});

describe('replayability of an answer that did not come to its end', () => {
  const answered = (reader: object, attributes: Record<string, PlainValue> = {}): Span => {
    const head = { status: 200, statusText: 'OK', url: '', headers: [], headersAfterUs: 1, hasBody: true };
    const response = { ...head, chunks: [[2, 'data: [DONE]']], end: 'open', endAfterUs: 3, ...reader };
    const request = { method: 'GET', url: 'http://host/', headers: [] };
    const text = JSON.stringify([{ layer: 'fetch', attempt: 0, startedAtUnixNano: '1', request, response }]);
    const exchanges = { 'reenact.exchanges': text, 'reenact.exchanges.digest': digestOf(text) };
    return crossing({ id: 'a', attributes: { 'reenact.call': 'exchange', ...exchanges, ...attributes } });
  };

  it('lacks something only where it is not known what the agent had asked for', () => {
    expect(causesOf(answered({}))).toEqual(['exchange-open']);
    expect(causesOf(answered({ reader: 'satisfied' }))).toEqual([]);
    expect(causesOf(answered({ reader: 'waiting' }))).toEqual([]);
  });

  it('lacks what was still waited for when its run ended, and nothing where all was given that was asked for', () => {
    const outlives = (reader: string): Span =>
      answered({ reader }, { 'reenact.outcome': 'pending', 'reenact.outlives_run': reader });
    expect(causesOf(outlives('satisfied'))).toEqual([]);
    expect(recordingOf(outlives('satisfied')).crossings).toMatchObject([
      { outcome: { type: 'returned' }, outlivesRun: 'satisfied' },
    ]);
    expect(causesOf(outlives('waiting'))).toEqual(['read-on']);
    expect(causesOf(answered({ reader: 'satisfied' }, { 'reenact.outcome': 'pending' }))).toEqual(['pending']);
  });
});

describe('replayability', () => {
  it('is full for a whole recording', () => {
    expect(recordingOf(crossing({ id: 'a', ...agent }), crossing({ id: 'b', parent: 'a' })).replayability.verdict).toBe(
      'full',
    );
  });

  it.each<[string, Record<string, PlainValue>, string]>([
    ['a changed input', { 'reenact.input': '[2]' }, 'damaged'],
    ['a cut output', { 'reenact.output': '' }, 'damaged'],
    ['an output without digest', { 'reenact.output.digest': null }, 'damaged'],
    ['an input that is not JSON', { 'reenact.input': '[', 'reenact.input.digest': digestOf('[') }, 'damaged'],
    ['a large one', { 'reenact.input': longText, 'reenact.input.digest': digestOf(longText) }, 'damaged'],
    ['a newer schema', { 'reenact.schema': '2' }, 'unknown-version'],
    ['an unknown outcome', { 'reenact.outcome': 'exploded' }, 'damaged'],
    ['a pending crossing', { 'reenact.outcome': 'pending' }, 'pending'],
    ['a stream kept as a digest', { 'reenact.outcome': 'ended', 'reenact.capture': 'digest' }, 'no-outcome'],
    ['no exchange', { 'reenact.call': 'exchange' }, 'no-exchange'],
    ['a lossy value', { 'reenact.lossy': ['/output class Quote'] }, 'lossy'],
  ])('names %s', (_name, attributes, cause) => {
    expect(causesOf(crossing({ id: 'a', attributes }))).toEqual([cause]);
  });

  it('names a connection that an agent opened and nothing recorded, and minds none inside of what is served', () => {
    const lossy = { 'reenact.lossy': ['/connections/db.internal:5432 by postgres'] };
    const { verdict, missing } = recordingOf(crossing({ id: 'a', ...agent, attributes: lossy })).replayability;
    expect(verdict).toBe('partial');
    expect(missing).toMatchObject([{ cause: 'unseen-connection', detail: 'db.internal:5432 by postgres' }]);
    const inTool = crossing({ id: 'b', parent: 'a', attributes: lossy });
    expect(recordingOf(crossing({ id: 'a', ...agent }), inTool).replayability.verdict).toBe('full');
  });

  it('does not mind that what handled a delivery had not ended: it runs again', () => {
    const delivery = { 'reenact.canonical': 'delivery/1', 'reenact.outcome': 'pending' };
    expect(causesOf(crossing({ id: 'a', attributes: delivery }))).toEqual([]);
  });

  it('names a request that is sent again with tokens in its body, and minds none in what an agent is called with', () => {
    const redacted = { 'reenact.redacted': ['/input/body/text'] };
    const request = { ...redacted, 'reenact.canonical': 'http-request/1' };
    expect(causesOf(crossing({ id: 'a', ...agent, attributes: request }))).toEqual(['lossy']);
    const session = { ...request, 'reenact.redacted': ['/input/url'] };
    expect(causesOf(crossing({ id: 'a', ...agent, attributes: session }))).toEqual(['lossy']);
    expect(causesOf(crossing({ id: 'a', ...agent, attributes: redacted }))).toEqual([]);
  });

  it('does not mind a callback among the arguments', () => {
    expect(causesOf(crossing({ id: 'a', attributes: { 'reenact.lossy': ['/input/0/onText function'] } }))).toEqual([]);
  });

  it('names what was not captured', () => {
    const digestOnly = crossing({ id: 'a' });
    digestOnly.attributes =
      digestOnly.attributes?.filter(({ key }) => key !== 'reenact.output' && key !== 'reenact.input') ?? [];
    expect(causesOf(digestOnly)).toEqual(['no-input', 'no-outcome']);
  });

  it('calls a trace of another instrumentation a cold case and shows it all the same', () => {
    const foreign = span({
      id: 'a',
      attributes: { [ATTR_GEN_AI_OPERATION_NAME]: 'execute_tool', [ATTR_GEN_AI_TOOL_NAME]: 'get_quote' },
    });
    const recording = recordingOf(foreign);
    expect(recording.crossings[0]).toMatchObject({ kind: 'tool', name: 'get_quote', dialect: 'otel-genai' });
    expect(recording.replayability.verdict).toBe('cold');
    expect(causesOf(foreign)).toEqual(['no-crossings', 'no-input', 'no-outcome']);
  });
});

describe('what is no recording', () => {
  it.each<[string, TracesData]>([
    ['without spans', { resourceSpans: [] }],
    [
      'with two traces',
      {
        resourceSpans: [
          { scopeSpans: [{ spans: [crossing({ id: 'a' }), { ...crossing({ id: 'b' }), traceId: 'f'.repeat(32) }] }] },
        ],
      },
    ],
  ])('is refused %s', (_name, data) => {
    expect(() => assembleRecording(data)).toThrowError(expect.objectContaining({ code: 'recording-damaged' }));
  });
});

describe('spans of other instrumentations around our crossings', () => {
  const chat = { [ATTR_GEN_AI_OPERATION_NAME]: 'chat' };

  it('are transparent: the crossing below holds the call, and its place is below the crossing above', () => {
    const run = crossing({ id: 'a', ...agent });
    const framework = span({ id: 'b', parentSpan: 'a', attributes: { [ATTR_GEN_AI_OPERATION_NAME]: 'invoke_agent' } });
    const sdk = span({ id: 'c', parentSpan: 'b', attributes: chat });
    const model = crossing({ id: 'd', kind: 'model', name: 'anthropic.messages', parentSpan: 'c', parent: 'a' });
    const { crossings, replayability } = recordingOf(run, framework, sdk, model);
    expect(crossings.map(({ path }) => path)).toEqual(['agent:trader', 'agent:trader/model:anthropic.messages']);
    expect(replayability.missing).toEqual([]);
  });

  it('stay crossings where none of ours is below: that call was not recorded', () => {
    const run = crossing({ id: 'a', ...agent });
    const sdk = span({ id: 'b', parentSpan: 'a', attributes: chat });
    const model = crossing({ id: 'c', kind: 'model', name: 'anthropic.messages', parentSpan: 'a', parent: 'a' });
    expect(recordingOf(run, sdk, model).crossings).toHaveLength(3);
    expect(causesOf(run, sdk, model)).toContain('no-input');
  });
});

it('says of a crossing that had ended, and whose result its process had not written yet, how large that was', () => {
  const attributes = {
    'reenact.outcome': 'pending',
    'reenact.output': null,
    'reenact.output.digest': 'sha256:ab;200015',
  };
  const { crossings, replayability } = recordingOf(crossing({ id: 'a', attributes }));
  expect(crossings[0]?.outcome).toEqual({
    type: 'pending',
    unwritten: { what: 'result', digest: 'sha256:ab;200015' },
  });
  expect(replayability).toMatchObject({
    verdict: 'partial',
    missing: [{ cause: 'pending', detail: expect.stringContaining('200,015 bytes') }],
  });
});

it('says of a stream that had not ended what had come of it, and nothing where there is a digest alone', () => {
  const read = (attributes: Record<string, string>) =>
    recordingOf(crossing({ id: 'a', attributes: { 'reenact.outcome': 'pending', ...attributes } })).crossings[0];
  const chunks = '[[5,"json","\\"one\\""],[9,"json","2",3]]';
  const known = { 'reenact.output.chunks': chunks, 'reenact.output.chunks.digest': digestOf(chunks) };
  expect(read(known)).toMatchObject({
    damage: [],
    outcome: {
      type: 'pending',
      chunks: [
        { offsetUs: 5, value: { data: '"one"' } },
        { offsetUs: 9, microtasks: 3 },
      ],
    },
  });
  expect(read({ 'reenact.output.chunks.digest': digestOf(chunks) })?.outcome).toEqual({ type: 'pending' });
});
