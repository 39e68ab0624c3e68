import { context, diag, type Span } from '@opentelemetry/api';
import { ExportResultCode } from '@opentelemetry/core';
import { BasicTracerProvider, type SpanExporter, type SpanProcessor } from '@opentelemetry/sdk-trace-base';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { agent, gate, RecordingProcessor, tool } from '../index.ts';
import { RecordingHost } from '../testdata/recording-host.ts';

let host: RecordingHost;
beforeEach(() => {
  host = new RecordingHost();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await host.stop();
});

const broken = (): never => {
  throw new Error('a hook of ours is broken');
};

/** Everything a host can see of one run with every call shape in it. */
async function observe(): Promise<unknown[]> {
  const failure = new RangeError('the host’s own');
  const sync = tool('sync', (value: number) => value * 2);
  const throws = tool('throws', () => {
    throw failure;
  });
  const later = tool('later', async (value: string) => value.toUpperCase());
  const rejects = tool('rejects', async () => Promise.reject(failure));
  const stream = tool('stream', async function* () {
    yield 1;
    yield 2;
    return 3;
  });
  const run = agent('run', async () => {
    const seen: unknown[] = [sync(4), await later('x'), await rejects().catch((error: unknown) => error === failure)];
    try {
      throws();
    } catch (error) {
      seen.push(error === failure);
    }
    const chunks = stream();
    return [...seen, await chunks.next(), await chunks.next(), await chunks.next(), await chunks.next()];
  });
  return run();
}

const expected = [
  8,
  'X',
  true,
  true,
  { done: false, value: 1 },
  { done: false, value: 2 },
  { done: true, value: 3 },
  { done: true, value: undefined },
];

function brokenSpan(span: Span): Span {
  return new Proxy(span, {
    get: (target, key) => (key === 'spanContext' ? () => target.spanContext() : broken),
  });
}

describe('the host’s result stays the same when', () => {
  it('nothing is broken', async () => {
    expect(await observe()).toEqual(expected);
    expect(await host.recorded()).toHaveLength(6);
  });

  it('the recorder throws', async () => {
    gate.configure({ recorder: { record: broken } });
    expect(await observe()).toEqual(expected);
  });

  it('the tracer provider throws, and the crossings are recorded all the same', async () => {
    gate.configure({ tracerProvider: { getTracer: broken } });
    expect(await observe()).toEqual(expected);
    expect(await host.recorded()).toHaveLength(6);
  });

  it('starting a span throws', async () => {
    gate.configure({ tracerProvider: { getTracer: () => ({ startSpan: broken, startActiveSpan: broken }) } });
    expect(await observe()).toEqual(expected);
  });

  it('every method of a span throws, and the crossings are recorded all the same', async () => {
    const tracer = host.provider.getTracer('app');
    const startSpan: typeof tracer.startSpan = (...parameters) => brokenSpan(tracer.startSpan(...parameters));
    gate.configure({ tracerProvider: { getTracer: () => ({ startSpan, startActiveSpan: broken }) } });
    expect(await observe()).toEqual(expected);
    const names = (await host.recorded()).map(({ name }) => name);
    expect(names).toContain('execute_tool throws');
    expect(names).toHaveLength(6);
  });

  it('a span processor beside ours throws', async () => {
    const processor: SpanProcessor = { onStart: broken, onEnd: broken, forceFlush: broken, shutdown: broken };
    gate.configure({ tracerProvider: new BasicTracerProvider({ spanProcessors: [processor] }) });
    expect(await observe()).toEqual(expected);
    expect(await host.recorded()).toHaveLength(6);
  });

  it('the context manager throws', async () => {
    context.disable();
    context.setGlobalContextManager({
      active: broken,
      with: broken,
      bind: broken,
      enable: broken,
      disable() {
        return this;
      },
    });
    expect(await observe()).toEqual(expected);
  });

  it('the root context cannot be had, and even the logger throws', async () => {
    diag.setLogger({ error: broken, warn: broken, info: broken, debug: broken, verbose: broken });
    gate.configure({ rootContext: broken, recorder: { record: broken } });
    expect(await observe()).toEqual(expected);
    diag.disable();
  });

  it('the clock and the random source throw', async () => {
    vi.spyOn(Date, 'now').mockImplementation(broken);
    vi.spyOn(Math, 'random').mockImplementation(() => 0.5);
    gate.configure({ tracerProvider: { getTracer: broken } });
    expect(await observe()).toEqual(expected);
  });
});

describe('a broken exporter', () => {
  const failing: SpanExporter = {
    export: broken,
    forceFlush: broken,
    shutdown: broken,
  };

  it('is nobody’s business but ours', async () => {
    const processor = new RecordingProcessor(failing);
    expect(await observe()).toEqual(expected);
    await processor.forceFlush();
    expect(processor.undelivered()).toHaveLength(6);
    const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    await processor.shutdown();
    expect(processor.dropped().get('undelivered')).toBe(6);
    expect(stderr.mock.calls.map(([text]) => text)).toEqual([
      expect.stringContaining('the collector could not be reached'),
    ]);
  });

  it('may keep what it was given for later', async () => {
    const exported: string[][] = [];
    const processor = new RecordingProcessor({
      export(spans, done) {
        exported.push(spans.map(({ name }) => name));
        done({ code: exported.length === 1 ? ExportResultCode.FAILED : ExportResultCode.SUCCESS });
      },
      shutdown: async () => {},
    });
    tool('kept', () => 1)();
    await processor.forceFlush();
    expect(processor.undelivered().map(({ name }) => name)).toEqual(['execute_tool kept']);
    await processor.forceFlush();
    expect(exported).toEqual([['execute_tool kept'], ['execute_tool kept']]);
    expect(processor.undelivered()).toEqual([]);
    await processor.shutdown();
  });
});

describe('arguments and results that resist being looked at', () => {
  const trap = new Proxy(() => {}, {
    get: broken,
    has: broken,
    ownKeys: broken,
    getPrototypeOf: broken,
    getOwnPropertyDescriptor: broken,
    defineProperty: broken,
  });

  it('pass, and are marked', async () => {
    const echo = tool('echo', (value: unknown) => value, { toolCallId: broken });
    expect(echo(trap)).toBe(trap);
    const frozen = Object.freeze((function* () {})());
    expect(tool('frozen', () => frozen)()).toBe(frozen);
    const { attributes } = await host.recordedAs('execute_tool echo');
    expect(attributes['reenact.outcome']).toBe('returned');
    expect(attributes['reenact.lossy']).toEqual(expect.arrayContaining([expect.stringMatching(/^\/input\/0 /)]));
    expect((await host.recordedAs('execute_tool frozen')).attributes['reenact.outcome']).toBe('returned');
  });
});
