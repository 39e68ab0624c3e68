import { trace } from '@opentelemetry/api';
import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base';
import {
  ATTR_GEN_AI_OPERATION_NAME,
  ATTR_GEN_AI_TOOL_CALL_ARGUMENTS,
  ATTR_GEN_AI_TOOL_CALL_ID,
  ATTR_GEN_AI_TOOL_CALL_RESULT,
  ATTR_GEN_AI_TOOL_NAME,
  ATTR_GEN_AI_TOOL_TYPE,
} from '@reenact/semconv/gen-ai';
import { digestOf } from '@reenact/trace-model';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { agent, RecordingProcessor, tool, withToolCallId } from '../index.ts';
import { RecordingHost } from '../testdata/recording-host.ts';

let host: RecordingHost | undefined;
afterEach(async () => {
  vi.restoreAllMocks();
  await host?.stop();
});

const resource = resourceFromAttributes({ 'service.name': 'trader' });

describe('a crossing is recorded whole', () => {
  it('with its payload beside what people read, while the host sees a slim span of the same ids', async () => {
    host = new RecordingHost();
    const getQuote = tool('get_quote', async ({ symbol }: { symbol: string }) => ({ symbol, price: 189.5 }), {
      effect: 'read',
    });
    await withToolCallId('call_7', () => getQuote({ symbol: 'ACME' }));
    const span = await host.recordedAs('execute_tool get_quote');
    const input = '[{"symbol":"ACME"}]';
    const output = '{"symbol":"ACME","price":189.5}';
    expect(span.attributes).toEqual({
      [ATTR_GEN_AI_OPERATION_NAME]: 'execute_tool',
      [ATTR_GEN_AI_TOOL_NAME]: 'get_quote',
      [ATTR_GEN_AI_TOOL_TYPE]: 'function',
      [ATTR_GEN_AI_TOOL_CALL_ID]: 'call_7',
      [ATTR_GEN_AI_TOOL_CALL_ARGUMENTS]: '{"symbol":"ACME"}',
      [ATTR_GEN_AI_TOOL_CALL_RESULT]: output,
      'reenact.schema': '1',
      'reenact.boundary': 'tool',
      'reenact.name': 'get_quote',
      'reenact.order': 0,
      'reenact.settled': 0,
      'reenact.settled_microtasks': 0,
      'reenact.call': 'promise',
      'reenact.effect': 'read',
      'reenact.canonical': 'arguments/1',
      'reenact.outcome': 'returned',
      'reenact.key': expect.stringMatching(/^v1:sha256:[0-9a-f]{64}$/),
      'reenact.input': input,
      'reenact.input.digest': digestOf(input),
      'reenact.output': output,
      'reenact.output.digest': digestOf(output),
    });
    const [slim] = host.own.getFinishedSpans();
    expect(slim?.spanContext()).toEqual(span.spanContext());
    expect(Object.keys(slim?.attributes ?? {}).toSorted()).toEqual([
      ATTR_GEN_AI_OPERATION_NAME,
      ATTR_GEN_AI_TOOL_CALL_ID,
      ATTR_GEN_AI_TOOL_NAME,
      ATTR_GEN_AI_TOOL_TYPE,
    ]);
  });
});

describe('the service of a run', () => {
  it('is the one its provider names, or the environment, where the sampler drops every span', async () => {
    const exporter = new InMemorySpanExporter();
    const processor = new RecordingProcessor(exporter);
    const named = async (provider: BasicTracerProvider | undefined): Promise<unknown> => {
      if (provider !== undefined) trace.setGlobalTracerProvider(provider);
      tool('unseen', () => 1)();
      await processor.forceFlush();
      return exporter.getFinishedSpans().at(-1)?.resource.attributes['service.name'];
    };
    vi.stubEnv('OTEL_SERVICE_NAME', 'by environment');
    expect(await named(undefined)).toBe('by environment');
    const sampler = new AlwaysOffSampler();
    expect(await named(new BasicTracerProvider({ sampler, resource, spanProcessors: [processor] }))).toBe('trader');
    vi.unstubAllEnvs();
    trace.disable();
    await processor.shutdown();
  });
});

describe('neither sampler nor size takes anything from a crossing', () => {
  it('where the sampler drops every span', async () => {
    host = new RecordingHost({ sampler: new AlwaysOffSampler(), resource });
    const inner = tool('inner', (text: string) => text.length);
    agent('outer', () => inner('four'))();
    expect(host.own.getFinishedSpans()).toEqual([]);
    const outer = await host.recordedAs('invoke_agent outer');
    const span = await host.recordedAs('execute_tool inner');
    expect(span.attributes).toMatchObject({ 'reenact.input': '["four"]', 'reenact.output': '4' });
    expect(span.parentSpanContext?.spanId).toBe(outer.spanContext().spanId);
    expect(span.spanContext().traceId).toBe(outer.spanContext().traceId);
    expect(span.resource.attributes['service.name']).toBe('trader');
    expect(span.duration[0]).toBeGreaterThanOrEqual(0);
  });

  it('where the host limits how many and how long attributes may be, and adds attributes of its own', async () => {
    const spanLimits = { attributeCountLimit: 3, attributeValueLengthLimit: 8 };
    host = new RecordingHost({ spanLimits });
    const name = 'a_tool_with_a_rather_long_name';
    tool(name, () => {
      trace.getActiveSpan()?.setAttribute('app.note', 'mine').addEvent('noticed');
      return 'x'.repeat(10_000);
    })();
    const span = await host.recordedAs(`execute_tool ${name}`);
    expect(span.attributes).toMatchObject({
      [ATTR_GEN_AI_TOOL_NAME]: name,
      'reenact.output': `"${'x'.repeat(10_000)}"`,
    });
    expect(span.events.map((event) => event.name)).toEqual(['noticed']);
    expect(host.own.getFinishedSpans()[0]?.attributes[ATTR_GEN_AI_TOOL_NAME]).toBe(name.slice(0, 8));
    // What the host's own attribute lost to its own limit stays lost, and is told.
    expect([span.attributes['app.note'], span.droppedAttributesCount]).toEqual([undefined, 1]);
  });

  it('of five megabytes', async () => {
    host = new RecordingHost();
    const large = 'é'.repeat(5 * 1024 * 1024);
    tool('large', () => ({ large }))();
    const span = await host.recordedAs('execute_tool large');
    expect(String(span.attributes['reenact.output'])).toHaveLength(large.length + '{"large":""}'.length);
    expect(span.attributes['reenact.lossy']).toBeUndefined();
  });

  it('with the error, its type and message', async () => {
    host = new RecordingHost();
    const failing = tool('failing', async () => {
      throw new RangeError('nothing left');
    });
    await expect(failing()).rejects.toThrow('nothing left');
    const span = await host.recordedAs('execute_tool failing');
    expect(span.status).toEqual({ code: 2, message: 'nothing left' });
    expect(span.attributes).toMatchObject({ 'error.type': 'RangeError', 'reenact.outcome': 'threw' });
    expect(JSON.parse(String(span.attributes['reenact.error']))).toMatchObject({ record: { class: 'RangeError' } });
    expect(host.own.getFinishedSpans()[0]?.attributes['error.type']).toBe('RangeError');
  });
});

describe('capture levels', () => {
  const secret = 'pin 0000';
  const fail = (pin: string): never => {
    throw new RangeError(`wrong ${pin}`);
  };

  it('digest keeps digests and no content', async () => {
    host = new RecordingHost();
    expect(() => tool('digest', fail, { capture: 'digest' })(secret)).toThrow('wrong');
    const span = await host.recordedAs('execute_tool digest');
    expect(JSON.stringify([span.attributes, span.status])).not.toContain('0000');
    expect(span.attributes).toMatchObject({
      'reenact.capture': 'digest',
      'reenact.input.digest': digestOf(JSON.stringify([secret])),
      'reenact.key': expect.any(String),
      'reenact.error.digest': expect.any(String),
    });
  });

  it('none keeps nothing but that it happened', async () => {
    host = new RecordingHost();
    expect(() => tool('none', fail, { capture: 'none' })(secret)).toThrow('wrong');
    const { attributes } = await host.recordedAs('execute_tool none');
    expect(attributes).toMatchObject({ 'reenact.outcome': 'threw', 'error.type': 'RangeError' });
    const keys = ['reenact.key', 'reenact.input', 'reenact.input.digest', 'reenact.error', 'reenact.error.digest'];
    expect(keys.filter((key) => key in attributes)).toEqual([]);
    expect(JSON.stringify(attributes)).not.toContain('0000');
  });
});

describe('the resource of a recording', () => {
  it('holds what is known about the process, under what the host’s provider says, as one object', async () => {
    host = new RecordingHost({
      resource: resourceFromAttributes({ 'service.name': 'from us', 'vcs.ref.head.revision': 'abc' }),
      hostResource: resourceFromAttributes({ 'service.name': 'from the host' }),
    });
    tool('one', () => 1)();
    tool('two', () => 2)();
    const [one, two] = await host.recorded();
    expect(one?.resource.attributes).toMatchObject({
      'service.name': 'from the host',
      'vcs.ref.head.revision': 'abc',
    });
    expect(two?.resource).toBe(one?.resource);
  });

  it('is that of any span seen, or the default, where the sampler drops everything', async () => {
    host = new RecordingHost({ sampler: new AlwaysOffSampler() });
    tool('one', () => 1)();
    expect((await host.recordedAs('execute_tool one')).resource.attributes['telemetry.sdk.language']).toBe('nodejs');
  });
});

describe('spans that are not crossings', () => {
  it('are exported as they are, once', async () => {
    host = new RecordingHost();
    const span = host.provider.getTracer('app').startSpan('plain', { attributes: { a: 1 } });
    span.end();
    expect(await host.recorded()).toEqual([span]);
  });
});

class ScriptedExporter implements SpanExporter {
  readonly requests: string[][] = [];
  private readonly answer: (spans: readonly ReadableSpan[]) => ExportResult;

  constructor(answer: (spans: readonly ReadableSpan[]) => ExportResult) {
    this.answer = answer;
  }

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    this.requests.push(spans.map(({ attributes }) => String(attributes['reenact.name'])));
    done(this.answer(spans));
  }

  async shutdown(): Promise<void> {}
}

const delivered = (): ExportResult => ({ code: ExportResultCode.SUCCESS });

function cross(name: string, characters: number): void {
  tool(name, () => 'x'.repeat(characters), { effect: 'none' })();
}

describe('batches', () => {
  it('stay below their limit in bytes and in number', async () => {
    const exporter = new ScriptedExporter(delivered);
    const processor = new RecordingProcessor(exporter, { batchBytesMax: 10_000, batchSpansMax: 3 });
    for (const name of ['a', 'b', 'c', 'd']) cross(name, 1);
    cross('large', 50_000);
    cross('e', 1);
    await processor.forceFlush();
    expect(exporter.requests).toEqual([['a', 'b', 'c'], ['d'], ['large'], ['e']]);
    await processor.shutdown();
  });

  it('go out by themselves, without a flush', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const exporter = new ScriptedExporter(() => {
      resolve();
      return delivered();
    });
    const processor = new RecordingProcessor(exporter, { batchSpansMax: 2, batchDelayMs: 60_000 });
    cross('a', 1);
    cross('b', 1);
    // The timer does not keep the process alive, so something else must until it fires.
    const alive = setInterval(() => {}, 1_000);
    await promise;
    clearInterval(alive);
    expect(exporter.requests).toEqual([['a', 'b']]);
    await processor.shutdown();
  });

  it('lose only the span that the collector refuses', async () => {
    const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const refusal = Object.assign(new Error('Bad Request'), { code: 400 });
    const isBad = ({ attributes }: ReadableSpan): boolean => attributes['reenact.name'] === 'bad';
    const exporter = new ScriptedExporter((spans) =>
      spans.some(isBad) ? { code: ExportResultCode.FAILED, error: refusal } : delivered(),
    );
    const processor = new RecordingProcessor(exporter);
    for (const name of ['a', 'bad', 'b']) cross(name, 1);
    await processor.forceFlush();
    expect(exporter.requests).toEqual([['a', 'bad', 'b'], ['a'], ['bad'], ['b']]);
    expect([...processor.dropped()]).toEqual([['refused', 1]]);
    expect(stderr.mock.calls).toHaveLength(1);
    await processor.shutdown();
  });
});

describe('a receiver that is away', () => {
  it('is asked once and then not before its time, however many spans came while it was asked', async () => {
    const answers: ((result: ExportResult) => void)[] = [];
    const exporter: SpanExporter = {
      export: (_, answer) => answers.push(answer),
      shutdown: async () => undefined,
    };
    const processor = new RecordingProcessor(exporter, { batchSpansMax: 1, retryDelayMs: 60_000 });
    // Set after the timer of the processor and as short, so that it fires after it.
    const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1));
    for (const name of ['a', 'b', 'c']) {
      cross(name, 1);
      await turn();
    }
    for (let index = 0; index < 3; index += 1) {
      answers[index]?.({ code: ExportResultCode.FAILED, error: new Error('connect ECONNREFUSED') });
      await turn();
    }
    expect(answers).toHaveLength(1);
    const flushed = processor.forceFlush();
    for (let index = 1; index <= 3; index += 1) {
      await vi.waitFor(() => expect(answers).toHaveLength(index + 1), { timeout: 10_000 });
      answers[index]?.(delivered());
    }
    await flushed;
    expect(processor.undelivered()).toEqual([]);
    await processor.shutdown();
  });
});

describe('exported spans, too many or too large', () => {
  it('are delivered without their payloads where one alone is too large for the collector', async () => {
    const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const refusal = Object.assign(new Error('Payload Too Large'), { code: 413 });
    const taken: ReadableSpan[] = [];
    const exporter = new ScriptedExporter((spans) => {
      if (JSON.stringify(spans.map(({ attributes }) => attributes)).length > 300_000)
        return { code: ExportResultCode.FAILED, error: refusal };
      taken.push(...spans);
      return delivered();
    });
    const processor = new RecordingProcessor(exporter);
    for (const [name, size] of [
      ['a', 1],
      ['large', 400_000],
      ['b', 1],
    ] as const)
      cross(name, size);
    await processor.forceFlush();
    expect(taken.map(({ attributes }) => attributes['reenact.name'])).toEqual(['a', 'large', 'b']);
    expect(taken[1]?.attributes).toMatchObject({
      'reenact.outcome': 'returned',
      'reenact.capture': 'digest',
      'reenact.output.digest': expect.stringMatching(/^sha256:[0-9a-f]{64};/),
      'reenact.lossy': expect.arrayContaining(['/ reenact.output too large for the receiver']),
    });
    expect(taken[1]?.attributes['reenact.output']).toBeUndefined();
    expect([...processor.dropped()]).toEqual([['payload-refused', 1]]);
    expect(stderr.mock.calls.map(([text]) => String(text))).toEqual([
      expect.stringContaining('a recording is not whole'),
    ]);
    await processor.shutdown();
  });

  it('wait in bounded memory, and what has no room is counted and told once', async () => {
    const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const exporter = new ScriptedExporter(delivered);
    const processor = new RecordingProcessor(exporter, { queueSpansMax: 2, queueBytesMax: 20_000 });
    for (const name of ['a', 'b', 'c', 'd']) cross(name, 1);
    expect([...processor.dropped()]).toEqual([['queue-full', 2]]);
    await processor.forceFlush();
    cross('large', 50_000);
    cross('e', 1);
    expect([...processor.dropped()]).toEqual([['queue-full', 2]]);
    cross('f', 1);
    expect([...processor.dropped()]).toEqual([['queue-full', 3]]);
    await processor.forceFlush();
    expect(exporter.requests).toEqual([
      ['a', 'b'],
      ['large', 'e'],
    ]);
    expect(stderr.mock.calls.map(([text]) => String(text))).toEqual([expect.stringContaining('queue')]);
    await processor.shutdown();
  });
});

describe('a shutdown', () => {
  it('inside a run delivers the run as pending, and tells of no loss however often it is asked for', async () => {
    const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    host = new RecordingHost();
    const { processor, provider, recordings } = host;
    const exported = vi.spyOn(recordings, 'export');
    await agent('trader', async () => {
      await Promise.all([processor.shutdown(), provider.shutdown()]);
      await processor.shutdown();
    })();
    const spans = exported.mock.calls.flatMap(([batch]) => batch);
    expect(spans.map(({ name, attributes }) => [name, attributes['reenact.outcome']])).toEqual([
      ['invoke_agent trader', 'pending'],
    ]);
    expect([...processor.dropped()]).toEqual([]);
    expect(stderr.mock.calls).toEqual([]);
  });
});
