import { describe, expect, it } from 'vitest';
import { ExportQueue, type QueuedSpan } from './export-queue.ts';

const limits = {
  batchBytesMax: 4_000,
  batchSpansMax: 10,
  queueBytesMax: 1_600_000,
  queueSpansMax: 200,
  spilledSpansMax: 1,
};
const span = (bytes: number): QueuedSpan => ({ bytes, view: () => undefined });

describe('a queue of spans', () => {
  it('has room for the small spans of a run beside one that fills it', () => {
    const queue = new ExportQueue(limits);
    expect(queue.add(span(2_000_000))).toBe(true);
    // A sixteenth of 1.6 MB.
    for (let count = 0; count < 100; count += 1) expect(queue.add(span(1_000))).toBe(true);
    expect(queue.add(span(1_000))).toBe(false);
    expect(queue.size).toBe(101);
  });

  it('has none for another large one', () => {
    const queue = new ExportQueue(limits);
    queue.add(span(1_500_000));
    expect(queue.add(span(200_000))).toBe(false);
    expect(queue.add(span(50_000))).toBe(true);
  });

  it('takes small spans again when others have left', () => {
    const queue = new ExportQueue(limits);
    queue.add(span(2_000_000));
    while (queue.add(span(60_000))) expect(queue.size).toBeLessThan(10);
    const [large] = queue.takeBatch();
    expect(large?.bytes).toBe(2_000_000);
    expect(queue.add(span(60_000))).toBe(true);
  });

  it('gives what was put back first again, and counts it as it did before', () => {
    const queue = new ExportQueue(limits);
    const spans = [span(3_000), span(1_000), span(60_000)];
    for (const one of spans) queue.add(one);
    const batch = queue.takeBatch();
    expect(batch).toEqual(spans.slice(0, 2));
    queue.putBack(batch);
    expect(queue.waiting()).toEqual(spans);
    // Just as much as there is room for beside it.
    expect(queue.add(span(1_536_001))).toBe(false);
    expect(queue.add(span(1_536_000))).toBe(true);
  });

  it('fills a batch to its bytes and its number, and no further', () => {
    const queue = new ExportQueue({ ...limits, batchSpansMax: 3 });
    for (const bytes of [2_000, 2_000, 1, 1, 1, 1, 5_000]) queue.add(span(bytes));
    expect(queue.hasFullBatch).toBe(true);
    const sizes = (): number[] => queue.takeBatch().map(({ bytes }) => bytes);
    expect([sizes(), sizes(), sizes(), sizes(), sizes()]).toEqual([[2_000, 2_000], [1, 1, 1], [1], [5_000], []]);
    expect(queue.hasFullBatch).toBe(false);
  });

  it('tells crossings apart that have the same span id in two traces', () => {
    const queue = new ExportQueue(limits);
    const [first, second] = ['a', 'b'].map((id) => ({
      ...span(1),
      spanContext: { traceId: id.repeat(32), spanId: 'c'.repeat(16), traceFlags: 0 },
    }));
    if (first === undefined || second === undefined) throw new TypeError('There are two.');
    queue.add(first);
    queue.add(second);
    expect([queue.findCrossing(first.spanContext), queue.findCrossing(second.spanContext)]).toEqual([first, second]);
  });

  it('never holds more than its number of spans', () => {
    const queue = new ExportQueue({ ...limits, queueSpansMax: 2 });
    expect([queue.add(span(1)), queue.add(span(1)), queue.add(span(1))]).toEqual([true, true, false]);
  });
});
