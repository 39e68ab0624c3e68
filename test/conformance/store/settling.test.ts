import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openStore, type Store } from '@reenact/collector';
import type { Span } from '@reenact/otlp';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { makeSpan, spanIdOf, Testbed, traceIdOf } from '../testbed.ts';
import { settleAlways } from './settled-store.ts';
import { sliceSpans } from './slices.ts';
import { describeStore } from './suite.ts';

const TENANT = 'default';

describeStore('log, settled after every append', async (directory) => settleAlways(await openStore(directory)));

/** Every span of a trace as bytes, in reading order. */
async function bytesOf(store: Store, trace: number, tenant = TENANT): Promise<string[]> {
  return (await store.readTrace(tenant, traceIdOf(trace))).map(({ bytes }) => Buffer.from(bytes).toString('latin1'));
}

function expectedBytes(spans: readonly Span[]): string[] {
  return spans.map((span) => Buffer.from(sliceSpans(span)[0]?.bytes ?? []).toString('latin1'));
}

type Step = { readonly trace: number; readonly size: number } | 'settle' | 'reopen';

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ trace: fc.integer({ min: 1, max: 3 }), size: fc.integer({ min: 0, max: 9000 }) }),
  },
  { weight: 2, arbitrary: fc.constant('settle' as const) },
  { weight: 1, arbitrary: fc.constant('reopen' as const) },
);

/** Takes the steps and gives what each trace must hold then, with the store. */
async function take(
  steps: readonly Step[],
  directory: string,
): Promise<{ store: Store; expected: Map<number, Span[]> }> {
  let store = await openStore(directory);
  const expected = new Map<number, Span[]>([1, 2, 3].map((trace) => [trace, []]));
  for (const [index, step] of steps.entries()) {
    if (step === 'settle') await store.settle();
    else if (step === 'reopen') {
      await store.close();
      store = await openStore(directory);
    } else {
      const startTimeUnixNano = String(1_000_000 + index);
      const name = `${index} `.repeat(step.size / 3);
      const span = makeSpan({ traceId: traceIdOf(step.trace), spanId: spanIdOf(index), name, startTimeUnixNano });
      expected.get(step.trace)?.push(span);
      await store.appendSpans(TENANT, sliceSpans(span), []);
    }
  }
  return { store, expected };
}

describe('settling', () => {
  const testbed = new Testbed();
  afterEach(() => testbed.dispose());

  it('keeps every byte, however appends, settling and restarts interleave', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 4, maxLength: 14 }), async (steps) => {
        const { store, expected } = await take(steps, await testbed.directory());
        for (const [trace, spans] of expected) expect(await bytesOf(store, trace)).toEqual(expectedBytes(spans));
        await store.close();
      }),
      { numRuns: 8 },
    );
  });

  it('merges the spans of one trace that come over hours into few blocks, and releases the log', async () => {
    const directory = await testbed.directory();
    const store = await openStore(directory);
    const spans = Array.from({ length: 12 }, (_, index) =>
      makeSpan({ spanId: spanIdOf(index), name: `part ${index}`, startTimeUnixNano: String(1000 + index) }),
    );
    for (const span of spans) {
      await store.appendSpans(TENANT, sliceSpans(span), []);
      await store.settle();
    }
    expect(await bytesOf(store, 1)).toEqual(expectedBytes(spans));
    expect(readdirSync(join(directory, 'packs')).length).toBeLessThan(6);
    expect(readdirSync(join(directory, 'log')).filter((name) => name.endsWith('.log'))).toHaveLength(1);
    await store.close();
  });

  it('rebuilds a lost index from packs and log, with versions, order and tenants', async () => {
    const directory = await testbed.directory();
    const store = await openStore(directory);
    const first = makeSpan({ name: 'first' });
    for (const tenant of [TENANT, 'other']) {
      await store.appendSpans(tenant, sliceSpans(first), []);
      await store.settle();
      await store.appendSpans(tenant, sliceSpans(makeSpan({ name: 'second' })), []);
    }
    const before = await store.stats();
    await store.close();
    for (const suffix of ['', '-wal', '-shm']) rmSync(join(directory, `index.sqlite${suffix}`), { force: true });
    const rebuilt = await openStore(directory);
    expect(await bytesOf(rebuilt, 1)).toEqual(expectedBytes([first]));
    expect(await bytesOf(rebuilt, 1, 'other')).toEqual(expectedBytes([first]));
    const { spans, traces } = await rebuilt.stats();
    expect({ spans, traces }).toEqual({ spans: before.spans, traces: before.traces });
    expect((await rebuilt.readTrace(TENANT, traceIdOf(1)))[0]?.versions).toBe(2);
    await rebuilt.settle();
    expect(await bytesOf(rebuilt, 1)).toEqual(expectedBytes([first]));
    await rebuilt.close();
  });
});
