import type { Store } from '@reenact/collector';
import type { Span } from '@reenact/otlp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeSpan, spanIdOf, Testbed, traceIdOf } from '../testbed.ts';
import { describeQueue } from './queue-suite.ts';
import { describeRuns, describeStale, describeUsage } from './runs-suite.ts';
import { sliceLogs, sliceSpans } from './slices.ts';
import type { StoreUnderTest } from './store-under-test.ts';
import { describeTenants } from './tenants-suite.ts';
import { FULL, VERSION_CASES } from './version-cases.ts';

/** How a backend opens a store; the same directory opened again is the same store. */
export type OpenStore = (directory: string) => Promise<Store>;

const TENANT = 'default';

/** The contract of store.ts, to be called once by each backend's test. */
export function describeStore(backend: string, open: OpenStore): void {
  describe(`store contract: ${backend}`, () => {
    const testbed = new Testbed();
    const subject = {} as StoreUnderTest;

    beforeEach(async () => {
      const directory = await testbed.directory();
      subject.store = await open(directory);
      subject.reopen = async () => {
        await subject.store.close();
        subject.store = await open(directory);
      };
    });
    afterEach(async () => {
      await subject.store.close();
      await testbed.dispose();
    });

    describeItems(subject);
    describeReferences(subject);
    describeVersions(subject);
    describeStale(subject);
    describeRuns(subject);
    describeUsage(subject);
    describeQueue(subject);
    describeTenants(subject);
  });
}

function describeReferences(subject: StoreUnderTest): void {
  it('lists spans and reads them later, some at a time, also where they have settled meanwhile', async () => {
    const spans = [1, 2, 3, 4].map((number) => makeSpan({ spanId: spanIdOf(number), name: 'x'.repeat(1000) }));
    await subject.store.appendSpans(TENANT, sliceSpans(...spans), []);
    const listed = await subject.store.listSpans(TENANT, traceIdOf(1));
    await subject.store.settle();
    await subject.store.appendSpans(TENANT, sliceSpans(makeSpan({ spanId: spanIdOf(5) })), []);
    const whole = await subject.store.readTrace(TENANT, traceIdOf(1));
    expect(whole.filter(({ spanId }) => spanId !== spanIdOf(5))).toMatchObject(
      await subject.store.readSpans(listed, 1_000_000),
    );
    expect(await subject.store.readSpans(listed, 2500)).toHaveLength(2);
    expect(await subject.store.readSpans(listed, 1500)).toHaveLength(1);
    expect(await subject.store.readSpans(listed.slice(1), 0)).toMatchObject([{ spanId: spanIdOf(2) }]);
    await subject.store.erase([[TENANT, traceIdOf(1)]]);
    await expect(subject.store.readSpans(listed, 0)).rejects.toMatchObject({ code: 'not-found', where: spanIdOf(1) });
    expect(await subject.store.listSpans(TENANT, traceIdOf(1))).toEqual([]);
  });
}

function describeItems(subject: StoreUnderTest): void {
  it('gives spans back byte for byte, after a restart too', async () => {
    const slices = sliceSpans(makeSpan(), makeSpan({ spanId: spanIdOf(2), parentSpanId: spanIdOf(1) }));
    expect(await subject.store.appendSpans(TENANT, slices, [])).toEqual({ stored: 2, deduplicated: 0, versions: 0 });
    await subject.reopen();
    const stored = await subject.store.readTrace(TENANT, traceIdOf(1));
    expect(stored.map(({ bytes }) => Buffer.from(bytes))).toEqual(slices.map(({ bytes }) => Buffer.from(bytes)));
    expect(stored.map(({ resource }) => Buffer.from(resource.bytes))).toEqual(
      slices.map(({ resource }) => Buffer.from(resource.bytes)),
    );
    expect(new Set(stored.map(({ resource }) => resource.id)).size).toBe(1);
  });

  it('makes many appends of one moment durable, each once', async () => {
    const appends = Array.from({ length: 50 }, (_, index) =>
      subject.store.appendSpans(TENANT, sliceSpans(makeSpan({ spanId: spanIdOf(index) })), []),
    );
    for (const result of await Promise.all(appends)) expect(result.stored).toBe(1);
    const { spans, traces, commits, appends: counted } = await subject.store.stats();
    expect({ spans, traces, appends: counted }).toEqual({ spans: 50, traces: 1, appends: 50 });
    expect(commits).toBeLessThan(50);
  });

  it('finds the trace of any span, within its tenant', async () => {
    await subject.store.appendSpans(TENANT, sliceSpans(makeSpan({ spanId: spanIdOf(7) })), []);
    expect(await subject.store.findTrace(TENANT, spanIdOf(7))).toBe(traceIdOf(1));
    expect(await subject.store.findTrace(TENANT, spanIdOf(8))).toBeUndefined();
    expect(await subject.store.findTrace('other', spanIdOf(7))).toBeUndefined();
    expect(await subject.store.readTrace('other', traceIdOf(1))).toEqual([]);
  });

  it('keeps log records by trace, in time order, each once', async () => {
    const records = sliceLogs(
      { timeUnixNano: '20', traceId: traceIdOf(1), spanId: spanIdOf(1), eventName: 'late' },
      { timeUnixNano: '10', traceId: traceIdOf(1), spanId: spanIdOf(1), eventName: 'early' },
      { timeUnixNano: '5', eventName: 'elsewhere' },
    );
    expect(await subject.store.appendLogs(TENANT, records, [])).toMatchObject({ stored: 3 });
    expect(await subject.store.appendLogs(TENANT, records, [])).toMatchObject({ stored: 0, deduplicated: 3 });
    const stored = await subject.store.readLogs(TENANT, traceIdOf(1));
    const [late, early] = records;
    expect(stored.map(({ bytes }) => Buffer.from(bytes))).toEqual(
      [early, late].map((record) => Buffer.from(record?.bytes ?? [])),
    );
  });

  it('rejects one append without taking down those that share its moment', async () => {
    const [slice] = sliceSpans(makeSpan());
    if (slice === undefined) expect.fail('no slice');
    const unreadable = () => expect.fail('these bytes cannot be read');
    const poisoned = { ...slice, facts: { ...slice.facts, spanId: spanIdOf(66) }, attributesPresent: unreadable };
    const [good, bad] = await Promise.allSettled([
      subject.store.appendSpans(TENANT, [slice], ['jaeger']),
      subject.store.appendSpans(TENANT, [slice, poisoned], ['jaeger']),
    ]);
    expect(good).toMatchObject({ status: 'fulfilled', value: { stored: 1 } });
    expect(bad).toMatchObject({ status: 'rejected', reason: { code: 'store-failed', retryable: true } });
    expect(await subject.store.readTrace(TENANT, traceIdOf(1))).toHaveLength(1);
    expect(await subject.store.queueDepths()).toEqual(new Map([['jaeger', 1]]));
    await subject.store.appendSpans(TENANT, sliceSpans(makeSpan({ spanId: spanIdOf(2) })), []);
    expect(await subject.store.readTrace(TENANT, traceIdOf(1))).toHaveLength(2);
  });

  it('can be closed twice', async () => {
    await subject.store.close();
    await expect(subject.store.close()).resolves.toBeUndefined();
  });
}

function describeVersions(subject: StoreUnderTest): void {
  async function bestOf(...versions: Span[]): Promise<{ bytes: Buffer; versions: number; isConflicting: boolean }> {
    for (const version of versions) await subject.store.appendSpans(TENANT, sliceSpans(version), []);
    const [best, ...others] = await subject.store.readTrace(TENANT, traceIdOf(1));
    expect(others).toEqual([]);
    if (best === undefined) expect.fail('the span is gone');
    return { ...best, bytes: Buffer.from(best.bytes) };
  }
  const bytesOf = (span: Span) => Buffer.from(sliceSpans(span)[0]?.bytes ?? []);

  it('takes a retry for what it is', async () => {
    const span = makeSpan({ attributes: FULL });
    expect(await bestOf(span, span, span)).toMatchObject({ versions: 1, isConflicting: false });
    const again = await subject.store.appendSpans(TENANT, sliceSpans(span, span), ['jaeger']);
    expect(again).toEqual({ stored: 0, deduplicated: 2, versions: 0 });
    expect(await subject.store.peekQueue('jaeger', 10, 1e6)).toBeUndefined();
  });

  it('stores what is new around what it has already, and what comes behind that', async () => {
    const [one, two, three, four] = [1, 2, 3, 4].map((number) => makeSpan({ spanId: spanIdOf(number) }));
    const append = (...spans: (Span | undefined)[]) =>
      subject.store.appendSpans(TENANT, sliceSpans(...spans.filter((span) => span !== undefined)), ['jaeger']);
    await append(one);
    expect(await append(two, one, three)).toEqual({ stored: 2, deduplicated: 1, versions: 0 });
    expect(await append(four, one)).toEqual({ stored: 1, deduplicated: 1, versions: 0 });
    await subject.reopen();
    expect(await subject.store.readTrace(TENANT, traceIdOf(1))).toHaveLength(4);
    expect((await subject.store.queueDepths()).get('jaeger')).toBe(4);
  });

  it.each(VERSION_CASES)('reads %s, in whatever order they come', async (_label, versions, expected) => {
    const best = await bestOf(...versions);
    expect(best).toMatchObject({ versions: 2, isConflicting: false });
    expect(best.bytes).toEqual(bytesOf(versions[expected] ?? makeSpan()));
  });

  it('tells versions from repetitions inside one append to a trace that is new', async () => {
    const [first, second] = [makeSpan(), makeSpan({ name: 'other' })];
    const slices = [first, second, first].flatMap((version) => sliceSpans(version));
    const result = await subject.store.appendSpans(TENANT, slices, []);
    expect(result).toEqual({ stored: 2, deduplicated: 1, versions: 1 });
    expect(await subject.store.appendSpans(TENANT, sliceSpans(makeSpan({ name: 'third' })), [])).toMatchObject({
      versions: 1,
    });
  });

  it('flags two full ended versions that disagree, and still reads the first', async () => {
    const first = makeSpan({ attributes: FULL });
    const best = await bestOf(first, makeSpan({ attributes: FULL, name: 'other' }));
    expect(best).toMatchObject({ versions: 2, isConflicting: true });
    expect(best.bytes).toEqual(bytesOf(first));
  });

  it('flags two ended versions of a span of another SDK that disagree, and still reads the first', async () => {
    const first = makeSpan();
    const best = await bestOf(first, makeSpan({ name: 'other' }));
    expect(best).toMatchObject({ versions: 2, isConflicting: true });
    expect(best.bytes).toEqual(bytesOf(first));
  });

  it('flags none of them where a crossing with its payload says what was', async () => {
    const versions = [makeSpan(), makeSpan({ name: 'other' }), makeSpan({ attributes: FULL })];
    expect(await bestOf(...versions)).toMatchObject({ versions: 3, isConflicting: false });
  });
}
