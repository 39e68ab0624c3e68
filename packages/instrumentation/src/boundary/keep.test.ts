import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { AlwaysOffSampler } from '@opentelemetry/sdk-trace-base';
import { afterEach, describe, expect, it } from 'vitest';
import { agent, keep, tool } from '../index.ts';
import { RecordingHost } from '../testdata/recording-host.ts';
import { SpooledHost } from '../testdata/spooled-host.ts';

let host: RecordingHost | undefined;
afterEach(() => host?.stop());

describe('keep()', () => {
  it('marks the root of the run it is called in, once, whatever the sampler says', async () => {
    host = new RecordingHost({ sampler: new AlwaysOffSampler() });
    const ask = tool('ask', () => {
      keep('thumbs down');
      keep('again');
    });
    const run = agent('run', async (isKept: boolean) => (isKept ? ask() : undefined));
    await run(true);
    await run(false);
    const marks = (await host.recorded()).map(({ name, attributes }) => [name, attributes['reenact.keep']]);
    expect(marks).toEqual([
      ['execute_tool ask', undefined],
      ['invoke_agent run', 'thumbs down'],
      ['invoke_agent run', undefined],
    ]);
  });

  it('does nothing outside a run', () => {
    host = new RecordingHost();
    expect(keep('nobody')).toBe(false);
  });
});

/** A run that hands out code which is still in its context when it has ended; `_padding` makes its root as large as wanted. */
const leaving = agent('run', (_padding = '') => context.bind(context.active(), (reason: string) => keep(reason)));

describe('keep() after the run has ended', () => {
  it('marks its root while the spans wait, the first reason counting, and says when it is too late', async () => {
    host = new RecordingHost({ batchDelayMs: 600_000 });
    const [early, late] = [leaving(), leaving()];
    expect([early('thumbs down'), early('again')]).toEqual([true, true]);
    const marks = (): unknown[] =>
      host?.recordings.getFinishedSpans().map((span) => span.attributes['reenact.keep']) ?? [];
    await host.recorded();
    expect(late('thumbs down')).toBe(false);
    await host.recorded();
    expect(marks()).toEqual(['thumbs down', undefined]);
  });

  it('holds no reason that is a secret', async () => {
    host = new RecordingHost({ batchDelayMs: 600_000 });
    leaving()(`key sk-${'a1B2'.repeat(12)}`);
    const [root] = await host.recorded();
    expect(root?.attributes['reenact.keep']).toMatch(/^key \[redacted:/);
  });
});

describe('keep() after the run has ended, beside a spool', () => {
  let spooled: SpooledHost;
  afterEach(async () => {
    await spooled.stop();
    context.disable();
    trace.disable();
  });

  it.each([
    ['in memory', {}],
    ['on the disk alone', { queueSpansMax: 1 }],
  ])('reaches whoever delivers what the process left, once: a span that waits %s', async (_where, options) => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    spooled = new SpooledHost({ batchDelayMs: 600_000, ...options });
    const [, second] = [leaving(), leaving()];
    expect(second('thumbs down')).toBe(true);
    const { taken } = await spooled.leftovers();
    expect(taken.map(({ attributes }) => attributes['reenact.keep'])).toEqual([undefined, 'thumbs down']);
    expect(new Set(taken.map((span) => span.spanContext().spanId)).size).toBe(2);
  });

  it('marks what is delivered, and loses no run, where its root is larger than a frame', async () => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    spooled = new SpooledHost({ batchDelayMs: 600_000 });
    expect(leaving('x'.repeat(200_000))('thumbs down')).toBe(true);
    const left = await spooled.leftovers();
    expect(left.taken.map(({ attributes }) => attributes['reenact.name'])).toEqual(['run']);
    await spooled.processor.forceFlush();
    expect(spooled.exporter.taken.map(({ attributes }) => attributes['reenact.keep'])).toEqual(['thumbs down']);
  });
});

describe('a run that failed', () => {
  it('is recorded whole whatever the sampler says', async () => {
    host = new RecordingHost({ sampler: new AlwaysOffSampler() });
    const fail = tool('fail', () => {
      throw new RangeError('closed');
    });
    await expect(agent('run', async () => fail())()).rejects.toThrow('closed');
    const outcomes = (await host.recorded()).map(({ attributes }) => attributes['reenact.outcome']);
    expect(outcomes).toEqual(['threw', 'threw']);
  });
});
