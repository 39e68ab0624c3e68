import { context, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agent, boundary, guardrail, retrieval, tool } from '../index.ts';
import { RecordedCalls } from '../testing/recorded-calls.ts';

// A context manager and no SDK: the API's own tracer gives a span inside another the identity of that other.
beforeAll(() => void context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable()));
afterAll(() => context.disable());

const leaf = tool('leaf', () => 1);

const forms: readonly (readonly [string, () => unknown])[] = [
  ['synchronous', tool('synchronous', () => leaf())],
  ['promise', retrieval('promise', async () => leaf())],
  ['thrown', () => guardrail('thrown', async () => Promise.reject(new RangeError(String(leaf()))))().catch(() => 1)],
  [
    'iterator',
    () => [
      ...tool('iterator', function* () {
        yield leaf();
      })(),
    ],
  ],
  [
    'async-iterator',
    async () => {
      const stream = tool('async-iterator', async function* () {
        yield leaf();
      });
      for await (const _ of stream());
    },
  ],
  [
    'client',
    () => boundary.client({ ask: () => leaf() }, { kind: 'database', name: 'client', methods: ['ask'] }).ask(),
  ],
  [
    'callback',
    () => {
      const methods = { ask: { callback: true } } as const;
      const client = { ask: (done: (error: null, result: number) => void): void => done(null, leaf()) };
      return new Promise((resolve) => {
        boundary.client(client, { kind: 'database', name: 'callback', methods }).ask((_error, value) => resolve(value));
      });
    },
  ],
  ['agent', agent('agent', async () => leaf())],
];

describe('crossings in a process with a context manager and no tracer provider', () => {
  it.each(forms)('%s: each has an id of its own, below the one around it', async (_form, run) => {
    const calls = new RecordedCalls();
    const detach = calls.attach();
    await agent('root', async () => {
      await run();
      await run();
    })();
    await calls.settled(5);
    detach();
    const { facts } = calls;
    expect(new Set(facts.map(({ spanContext }) => spanContext.spanId)).size).toBe(5);
    expect(new Set(facts.map(({ spanContext }) => spanContext.traceId)).size).toBe(1);
    const root = facts.find(({ boundary: { name } }) => name === 'root');
    const middles = facts.filter(({ parentCrossing }) => parentCrossing === root?.spanContext.spanId);
    const leaves = facts.filter(({ boundary: { name } }) => name === 'leaf');
    expect(middles.length).toBe(2);
    expect(leaves.map(({ parentCrossing }) => parentCrossing).sort()).toEqual(
      middles.map(({ spanContext }) => spanContext.spanId).sort(),
    );
  });

  it('have ids of their own below a span that came from elsewhere, in its trace', async () => {
    const remote = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), traceFlags: 1, isRemote: true };
    const calls = new RecordedCalls();
    const detach = calls.attach();
    context.with(trace.setSpanContext(ROOT_CONTEXT, remote), () => leaf());
    detach();
    const { spanContext, parentSpanContext } = calls.only;
    expect([spanContext.traceId, parentSpanContext?.spanId]).toEqual([remote.traceId, remote.spanId]);
    expect(spanContext.spanId).not.toBe(remote.spanId);
  });
});
