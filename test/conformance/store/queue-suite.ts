import type { Store } from '@reenact/collector';
import { describe, expect, it } from 'vitest';
import { makeSpan, spanIdOf, traceIdOf } from '../testbed.ts';
import { sliceLogs, sliceSpans } from './slices.ts';
import type { StoreUnderTest } from './store-under-test.ts';

const TENANT = 'default';

async function settleNext(store: Store, destination: string): Promise<string | undefined> {
  const batch = await store.peekQueue(destination, 100, 1e6);
  await store.settleQueue(batch?.entries.map(({ queueId }) => queueId) ?? []);
  return batch === undefined ? undefined : `${batch.entries.length} ${batch.signal}`;
}

/** The persistent queues of the forwarders. */
export function describeQueue(subject: StoreUnderTest): void {
  describe('queues', () => {
    it('keep what is queued for each destination over a restart, in order', async () => {
      const slices = sliceSpans(makeSpan(), makeSpan({ spanId: spanIdOf(2) }));
      await subject.store.appendSpans(TENANT, slices, ['a', 'b']);
      await subject.store.appendLogs(TENANT, sliceLogs({ traceId: traceIdOf(1), spanId: spanIdOf(1) }), ['a']);
      await subject.reopen();
      expect(await subject.store.queueDepths()).toEqual(
        new Map([
          ['a', 3],
          ['b', 2],
        ]),
      );
      const batch = await subject.store.peekQueue('a', 100, 1e6);
      expect(batch?.entries.map(({ item }) => Buffer.from(item?.bytes ?? []))).toEqual(
        slices.map(({ bytes }) => Buffer.from(bytes)),
      );
      expect(await settleNext(subject.store, 'a')).toBe('2 traces');
      expect(await settleNext(subject.store, 'a')).toBe('1 logs');
      expect(await settleNext(subject.store, 'a')).toBeUndefined();
      expect(await settleNext(subject.store, 'b')).toBe('2 traces');
    });

    it('give at least one item and otherwise keep within the bounds', async () => {
      const spans = [1, 2, 3].map((number) => makeSpan({ spanId: spanIdOf(number), name: 'x'.repeat(1000) }));
      await subject.store.appendSpans(TENANT, sliceSpans(...spans), ['a']);
      expect((await subject.store.peekQueue('a', 2, 1e6))?.entries).toHaveLength(2);
      expect((await subject.store.peekQueue('a', 100, 1))?.entries).toHaveLength(1);
      expect((await subject.store.peekQueue('a', 100, 2500))?.entries).toHaveLength(2);
    });

    it('keep the collectors an item has passed, and give those of one way together', async () => {
      const [first, second, third] = [1, 2, 3].map((number) => sliceSpans(makeSpan({ spanId: spanIdOf(number) })));
      const way = ['0123456789abcdef', 'fedcba9876543210'];
      await subject.store.appendSpans(TENANT, first ?? [], ['a'], way);
      await subject.store.appendSpans(TENANT, second ?? [], ['a'], way);
      await subject.store.appendSpans(TENANT, third ?? [], ['a']);
      await subject.reopen();
      expect(await subject.store.peekQueue('a', 100, 1e6)).toMatchObject({ passed: way, entries: [{}, {}] });
      expect(await settleNext(subject.store, 'a')).toBe('2 traces');
      expect(await subject.store.peekQueue('a', 100, 1e6)).toMatchObject({ passed: [], entries: [{}] });
      expect(await subject.store.queueDepths()).toEqual(new Map([['a', 1]]));
    });

    it('keep a metrics request until the last destination has it', async () => {
      const bytes = Buffer.from('metrics');
      await subject.store.appendMetrics(TENANT, { format: 'protobuf', bytes }, ['a', 'b']);
      expect(await settleNext(subject.store, 'a')).toBe('1 metrics');
      const left = await subject.store.peekQueue('b', 100, 1e6);
      expect(Buffer.from(left?.entries[0]?.item?.bytes ?? [])).toEqual(bytes);
    });
  });
}
