import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BatchMerger, decodeBatch, encodeBatch } from './batch.ts';
import { digestAt, digestItems } from './item-digest.ts';

const idOf = (bytes: number) =>
  fc.oneof(
    fc.constant(''),
    fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((id) => Buffer.from(id).toString('hex')),
  );

const item = fc.record({
  id: fc.integer({ min: 5, max: 1_000 }),
  traceId: idOf(16),
  spanId: idOf(8),
  timeNs: fc.bigInt({ min: 0n, max: 2n ** 62n }),
  signal: fc.constantFrom(0, 1, 2),
  format: fc.constantFrom('protobuf', 'json'),
  rank: fc.integer({ min: 0, max: 3 }),
  resource: fc.constant(0),
  scope: fc.constant(0),
  bytes: fc.uint8Array({ maxLength: 40, size: 'max' }),
});

const batch = fc.record({
  tenant: fc.string({ maxLength: 12 }),
  destinations: fc.array(fc.string({ maxLength: 8 }), { maxLength: 2 }),
  groups: fc.array(
    fc.record(
      {
        format: fc.constantFrom('protobuf', 'json'),
        schemaUrl: fc.string({ maxLength: 9 }),
        bytes: fc.uint8Array({ maxLength: 30, size: 'max' }),
        unknown: fc.record({ group: fc.uint8Array({ maxLength: 9 }), request: fc.uint8Array({ maxLength: 9 }) }),
      },
      { requiredKeys: ['format', 'schemaUrl', 'bytes'] },
    ),
    { minLength: 1, maxLength: 1 },
  ),
  items: fc.array(item, { maxLength: 4 }),
});

describe('a batch in memory that was used before', () => {
  it('is the same bytes as in new memory: nothing of what was there reaches the disk', () => {
    fc.assert(
      fc.property(batch, fc.integer({ min: 0, max: 40 }), (given, headroomBytes) => {
        const made = (filling: number) =>
          encodeBatch(given, 0, headroomBytes, (bytes) => Buffer.alloc(bytes, filling)).subarray(headroomBytes);
        expect(made(0xff)).toEqual(made(0));
      }),
    );
  });
});

describe('a batch that is written and read', () => {
  it('has the groups and items it had, unknown fields included', () => {
    fc.assert(
      fc.property(batch, (given) => {
        const read = decodeBatch(encodeBatch(given, 0), 0);
        const plain = (bytes: Uint8Array) => [...bytes];
        const groupsOf = ({ groups }: typeof read) =>
          groups.map(({ format, schemaUrl, bytes, unknown }) => [
            format,
            schemaUrl,
            plain(bytes),
            unknown && [plain(unknown.group), plain(unknown.request)],
          ]);
        expect(groupsOf(read)).toEqual(groupsOf(given));
        expect(read.items.map(({ bytes }) => plain(bytes))).toEqual(given.items.map(({ bytes }) => plain(bytes)));
        expect(digestItems(read)).toEqual(digestItems(given));
      }),
    );
  });

  it('has the ids, times and ranks it had, whatever stands beside an item', () => {
    const [trace, other] = ['0a'.repeat(16), `${'0a'.repeat(15)}0b`];
    const traceIds = [trace, trace, other, '', trace, '', '', 'ff'.repeat(16)];
    const times = [0n, 1n, 2n ** 32n, 1_764_284_400_123_456_789n, 2n ** 63n - 1n, 255n, 256n, 2n ** 40n + 5n];
    const distances = [0, 1, 2, 3, 2 ** 32 - 1, 2 ** 32, 2 ** 32 + 1, 2 ** 45];
    const items = traceIds.map((traceId, index) => ({
      ...ITEM,
      traceId,
      id: 7 + (distances[index] ?? 0),
      spanId: index % 3 === 0 ? '' : `0123456789abcde${index}`,
      timeNs: times[index] ?? 0n,
      rank: index,
      resource: 0,
      scope: 0,
    }));
    const given = { tenant: 't', destinations: [], groups: [], items };
    const read = decodeBatch(encodeBatch(given, 7), 7);
    expect(read.items.map((item) => ({ ...item, bytes: new Uint8Array(item.bytes) }))).toEqual(items);
  });

  it('keeps groups apart that differ in any part, however their parts run into one another', () => {
    const bytesOf = (text: string) => Buffer.from(text);
    const groups = [
      { format: 'json' as const, schemaUrl: 'u', bytes: bytesOf('a b') },
      { format: 'json' as const, schemaUrl: 'u a', bytes: bytesOf('b') },
      { format: 'json' as const, schemaUrl: 'u', bytes: bytesOf('a b'), unknown: unknownOf('x', '') },
      { format: 'json' as const, schemaUrl: 'u', bytes: bytesOf('a b'), unknown: unknownOf('', 'x') },
    ];
    const items = groups.map((_, id) => ({ ...ITEM, id, resource: id, scope: id }));
    const given = { tenant: 't', destinations: [], groups, items };
    const merger = new BatchMerger('t');
    for (const item of items) merger.add(given, item);
    expect(merger.finish().groups).toEqual(groups);
    const digests = digestItems(given);
    expect(new Set(items.map(({ id }) => digestAt(digests, id).toString('hex'))).size).toBe(groups.length);
  });
});

function unknownOf(group: string, request: string) {
  return { group: Buffer.from(group), request: Buffer.from(request) };
}

const ITEM = {
  traceId: '07'.repeat(16),
  spanId: '08'.repeat(8),
  timeNs: 1n,
  signal: 0 as const,
  format: 'json' as const,
  rank: 4,
  bytes: new Uint8Array(0),
};
