import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeBatch } from './batch.ts';

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
  bytes: fc.uint8Array({ maxLength: 40 }),
});

const batch = fc.record({
  tenant: fc.string({ maxLength: 12 }),
  destinations: fc.array(fc.string({ maxLength: 8 }), { maxLength: 2 }),
  groups: fc.array(
    fc.record({
      format: fc.constantFrom('protobuf', 'json'),
      schemaUrl: fc.string({ maxLength: 9 }),
      bytes: fc.uint8Array({ maxLength: 30 }),
    }),
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
