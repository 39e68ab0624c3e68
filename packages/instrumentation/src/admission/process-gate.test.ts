import { setImmediate as turn } from 'node:timers/promises';
import { context, INVALID_SPAN_CONTEXT, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { suppressTracing } from '@opentelemetry/core';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { ATTR_GEN_AI_TOOL_CALL_ID } from '@reenact/semconv/gen-ai';
import { CANONICAL_POLICIES } from '@reenact/trace-model';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StartedCrossing } from '../gate/crossing-facts.ts';
import { admit, agent, gate, guardrail, identify, tool, withIdentity, withToolCallId } from '../index.ts';
import { OPEN_CROSSINGS_MAX } from '../limits.ts';
import { RecordingHost } from '../testdata/recording-host.ts';

let host: RecordingHost;
beforeEach(() => {
  host = new RecordingHost();
});
afterEach(() => host.stop());

function by(spans: readonly ReadableSpan[], key: string): Map<unknown, ReadableSpan> {
  return new Map(spans.map((span) => [span.attributes[key], span]));
}

describe('order', () => {
  it('is start order among siblings, whatever order they finish in', async () => {
    const permutation = fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: 5 });
    await fc.assert(
      fc.asyncProperty(permutation, async (finishing) => {
        host.recordings.reset();
        const doors = finishing.map(() => Promise.withResolvers<void>());
        const wait = tool('wait', async (index: number) => doors[index]?.promise.then(() => index));
        const run = agent('run', async () => {
          const calls = doors.map((_, index) => wait(index));
          for (const index of finishing) {
            doors[index]?.resolve();
            await calls[index];
          }
        });
        await run();
        const tools = (await host.recorded()).filter(({ name }) => name === 'execute_tool wait');
        const byInput = by(tools, 'reenact.input');
        expect(finishing.map((_, index) => byInput.get(`[${index}]`)?.attributes['reenact.order'])).toEqual([
          0, 1, 2, 3, 4,
        ]);
        const settled = finishing.map((index) => Number(byInput.get(`[${index}]`)?.attributes['reenact.settled']));
        expect(settled).toEqual(settled.toSorted((left, right) => left - right));
      }),
      { numRuns: 20 },
    );
  });
});

describe('the process span', () => {
  it('encloses the calls that nothing else does, in their order', async () => {
    const root = trace.setSpan(ROOT_CONTEXT, host.provider.getTracer('app').startSpan('process'));
    gate.configure({ rootContext: () => root });
    const read = tool('read', async (index: number) => index);
    await Promise.all([read(0), read(1), read(2)]);
    const spans = (await host.recorded()).filter(({ name }) => name === 'execute_tool read');
    expect(spans.map(({ attributes }) => attributes['reenact.order'])).toEqual([0, 1, 2]);
    expect(new Set(spans.map((span) => span.parentSpanContext?.spanId))).toEqual(
      new Set([trace.getSpanContext(root)?.spanId]),
    );
    expect(spans.every(({ attributes }) => attributes['reenact.parent'] === undefined)).toBe(true);
  });

  it('encloses calls whose only span around them belongs to no trace', async () => {
    const root = trace.setSpan(ROOT_CONTEXT, host.provider.getTracer('app').startSpan('process'));
    gate.configure({ rootContext: () => root });
    const read = tool('read', async (index: number) => index);
    // What a library that traces itself has in its context before there is a provider.
    const nowhere = trace.setSpanContext(ROOT_CONTEXT, INVALID_SPAN_CONTEXT);
    await context.with(nowhere, () => Promise.all([read(0), read(1)]));
    const spans = (await host.recorded()).filter(({ name }) => name === 'execute_tool read');
    const { traceId, spanId } = trace.getSpanContext(root) ?? {};
    expect(spans.map((span) => [span.spanContext().traceId, span.parentSpanContext?.spanId])).toEqual([
      [traceId, spanId],
      [traceId, spanId],
    ]);
  });

  it('is asked for once per call and never from within, and not for an agent', async () => {
    let asked = 0;
    const process = agent('process', () => undefined);
    gate.configure({
      rootContext: () => {
        asked += 1;
        process();
        return undefined;
      },
    });
    tool('read', () => 1)();
    agent('run', () => 2)();
    expect(asked).toBe(1);
  });
});

describe('the parent of a crossing is the nearest enclosing crossing', () => {
  it('whatever ordinary spans are between the two', async () => {
    const tracer = host.provider.getTracer('app');
    const inner = tool('inner', () => 1);
    const outer = agent('outer', () =>
      tracer.startActiveSpan('transparent', (span) => {
        inner();
        span.end();
      }),
    );
    outer();
    const innerSpan = await host.recordedAs('execute_tool inner');
    const outerSpan = await host.recordedAs('invoke_agent outer');
    const transparent = await host.recordedAs('transparent');
    expect(innerSpan.attributes['reenact.parent']).toBe(outerSpan.spanContext().spanId);
    expect(innerSpan.parentSpanContext?.spanId).toBe(transparent.spanContext().spanId);
    expect(transparent.attributes['reenact.schema']).toBeUndefined();
  });

  it('also below a span that was forced to be a root, to which it links', async () => {
    const tracer = host.provider.getTracer('app');
    const inner = tool('inner', () => 1);
    const outer = agent('outer', () =>
      tracer.startActiveSpan('elsewhere', { root: true }, (span) => {
        inner();
        span.end();
      }),
    );
    outer();
    const innerSpan = await host.recordedAs('execute_tool inner');
    const outerContext = (await host.recordedAs('invoke_agent outer')).spanContext();
    const elsewhere = (await host.recordedAs('elsewhere')).spanContext();
    expect(innerSpan.spanContext().traceId).toBe(outerContext.traceId);
    expect([innerSpan.attributes['reenact.parent'], innerSpan.attributes['reenact.order']]).toEqual([
      outerContext.spanId,
      0,
    ]);
    expect(innerSpan.parentSpanContext?.spanId).toBe(outerContext.spanId);
    expect(innerSpan.links.map(({ context: { traceId, spanId } }) => [traceId, spanId])).toEqual([
      [elsewhere.traceId, elsewhere.spanId],
    ]);
  });

  it('or none, below such a span of what an ended run left behind', async () => {
    const tracer = host.provider.getTracer('app');
    const inner = tool('inner', () => 1);
    const left = Promise.withResolvers<void>();
    const outer = agent('outer', () => {
      void left.promise.then(() => tracer.startActiveSpan('elsewhere', { root: true }, () => inner()));
    });
    outer();
    left.resolve();
    await turn();
    const span = await host.recordedAs('execute_tool inner');
    expect([span.attributes['reenact.parent'], span.attributes['reenact.order'], span.links]).toEqual([
      undefined,
      0,
      [],
    ]);
  });
});

describe('without an SDK', () => {
  it('crossings have ids of their own, in one trace, each below the one around it', async () => {
    trace.disable();
    const inner = tool('inner', async () => tool('innermost', () => 1)());
    await agent('outer', () => inner())();
    const spans = by(await host.recorded(), 'reenact.name');
    const [outer, middle, last] = ['outer', 'inner', 'innermost'].map((name) => spans.get(name));
    const ids = [outer, middle, last].map((span) => span?.spanContext().spanId);
    expect(new Set(ids).size).toBe(3);
    expect(new Set([outer, middle, last].map((span) => span?.spanContext().traceId)).size).toBe(1);
    expect([middle, last].map((span) => span?.parentSpanContext?.spanId)).toEqual(ids.slice(0, 2));
    expect([middle, last].map((span) => span?.attributes['reenact.parent'])).toEqual(ids.slice(0, 2));
  });
});

describe('who and which call', () => {
  it('goes onto every crossing of the run, those already open included', async () => {
    const check = guardrail('check', () => true);
    const run = agent('run', async () => {
      await turn();
      identify({ userId: 'u-1', tenant: 'acme' });
      withIdentity({ sessionId: 's-1', userId: 'u-2' }, () => check());
      return tool('late', () => 1)();
    });
    await run();
    const spans = by(await host.recorded(), 'reenact.name');
    expect(spans.get('run')?.attributes).toMatchObject({ 'user.id': 'u-1', 'reenact.tenant': 'acme' });
    expect(spans.get('check')?.attributes).toMatchObject({ 'user.id': 'u-2', 'session.id': 's-1' });
    expect(spans.get('late')?.attributes).toMatchObject({ 'user.id': 'u-1' });
    expect(spans.get('late')?.attributes['session.id']).toBeUndefined();
  });

  it('gives the tool call id to the tool and not to what is nested in it', async () => {
    const inner = tool('inner', () => 1);
    const outer = tool('outer', (_id: string) => inner());
    withToolCallId('call_1', () => outer('x'));
    const read = tool('read', (id: string) => id, { toolCallId: (id) => `own_${id}` });
    withToolCallId('call_2', () => read('3'));
    const spans = by(await host.recorded(), 'reenact.name');
    const idOf = (name: string): unknown => spans.get(name)?.attributes[ATTR_GEN_AI_TOOL_CALL_ID];
    expect([idOf('outer'), idOf('inner'), idOf('read')]).toEqual(['call_1', undefined, 'own_3']);
  });
});

describe('a call passes', () => {
  it('where tracing is suppressed', async () => {
    context.with(suppressTracing(context.active()), () => tool('quiet', () => 1)());
    expect(await host.recorded()).toEqual([]);
  });

  it('where nobody would see the crossing', () => {
    trace.disable();
    gate.configure({ recorder: undefined });
    const boundary = {
      kind: 'tool',
      name: 'x',
      effect: 'none',
      capture: 'full',
      policy: CANONICAL_POLICIES.arguments,
    } as const;
    expect(admit({ boundary, input: [], span: { name: 'x', kind: 'internal' } })).toEqual({ type: 'pass' });
  });
});

describe('a crossing that is still open', () => {
  it('is told as pending, and its stream as aborted after the chunks so far', async () => {
    const never = tool('never', (_question: string) => new Promise(() => {}));
    const words = tool('words', async function* () {
      yield 'one';
      yield 'two';
    });
    void never('?');
    const stream = words();
    await stream.next();
    const views = by(host.processor.pending(), 'reenact.name');
    expect(views.get('never')?.attributes).toMatchObject({
      'reenact.outcome': 'pending',
      'reenact.call': 'promise',
      'reenact.input': '["?"]',
    });
    expect(views.get('words')?.attributes).toMatchObject({ 'reenact.outcome': 'aborted' });
    const chunks = String(views.get('words')?.attributes['reenact.output.chunks']);
    expect(chunks).toMatch(/^\[\[\d+,"json","\\"one\\"",\d\]\]$/);
    await stream.return(undefined);
    expect(host.processor.pending().map(({ name }) => name)).toEqual(['execute_tool never']);
  });

  it('says while it goes on what has come of its stream, without secrets, and how much that is', async () => {
    const started: StartedCrossing[] = [];
    gate.configure({ recorder: { record: () => {}, started: (crossing) => started.push(crossing) } });
    const stream = tool('words', async function* () {
      yield 'one ';
      yield 'sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD ';
      yield 'postgres://admin:S3cret';
    })();
    expect(started[0]?.answeredCharacters()).toBeUndefined();
    await stream.next();
    expect(started[0]?.answeredCharacters()).toBe('"one "'.length);
    await stream.next();
    await stream.next();
    const facts = started[0]?.factsSoFar();
    expect(facts).toMatchObject({ call: 'async-iterator', settled: undefined, redacted: ['/chunks/1'] });
    expect(facts?.outcome.type).toBe('pending');
    expect(facts?.outcome.chunks?.map(({ value }) => value.payload.data)).toEqual([
      '"one "',
      expect.not.stringContaining('sk-proj'),
    ]);
    // What may be half of a secret waits for its other half.
    expect(JSON.stringify(facts?.outcome)).not.toContain('S3cret');
    await stream.return(undefined);
  });
});

describe('more crossings at once than are kept track of', () => {
  it('are recorded once each, and not as spans that are no crossings as well', async () => {
    await host.stop();
    const count = OPEN_CROSSINGS_MAX + 3;
    host = new RecordingHost({ queueSpansMax: 2 * count });
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting = tool('waiting', () => promise, { effect: 'none' });
    const calls = Array.from({ length: count }, () => waiting());
    resolve();
    await Promise.all(calls);
    const ids = (await host.recorded()).map((span) => span.spanContext().spanId);
    expect([ids.length, new Set(ids).size]).toEqual([count, count]);
  });
});
