import { expect, it } from 'vitest';
import { CrossingTable, type KeptCrossing } from './crossing-table.ts';

const traces = ['a'.repeat(32), 'b'.repeat(32), 'c'.repeat(32)] as const;
const spanId = '1'.repeat(16);

function crossingOf(traceId: string, own = spanId): KeptCrossing {
  return { spanContext: { traceId, spanId: own, traceFlags: 0 } };
}

it('finds crossings of several traces with the same span id, and keeps their order, whichever ends first', () => {
  for (const gone of traces.keys()) {
    const table = new CrossingTable<KeptCrossing>();
    const crossings = traces.map((traceId) => crossingOf(traceId));
    for (const crossing of crossings) table.add(crossing);
    table.delete(crossings[gone] as KeptCrossing);
    table.delete(crossingOf('d'.repeat(32)));
    const left = crossings.filter((_, index) => index !== gone);
    expect([...table.values()]).toEqual(left);
    for (const [index, traceId] of traces.entries())
      expect(table.get(traceId, spanId)).toBe(index === gone ? undefined : crossings[index]);
    // One that begins under the id that is free again does not hide the others.
    table.add(crossings[gone] as KeptCrossing);
    for (const [index, traceId] of traces.entries()) expect(table.get(traceId, spanId)).toBe(crossings[index]);
    expect(table.size).toBe(3);
  }
});

it('finds nothing under an id of another trace', () => {
  const table = new CrossingTable<KeptCrossing>();
  table.add(crossingOf(traces[0]));
  expect(table.get(traces[1], spanId)).toBeUndefined();
  expect(table.get(traces[0], '2'.repeat(16))).toBeUndefined();
});
