import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Batch, BatchItem } from './batch.ts';
import type { BatchGroup } from './batch-group.ts';
import { digestAt, digestItems } from './item-digest.ts';

const sha256 = (...parts: readonly (string | Uint8Array)[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

const groups: readonly BatchGroup[] = [
  { format: 'protobuf', schemaUrl: 'https://example.com/1', bytes: Buffer.from('resource') },
  { format: 'protobuf', schemaUrl: '', bytes: Buffer.from('scope') },
];

function itemOf(bytes: Uint8Array, members: Partial<BatchItem> = {}): BatchItem {
  const ids = { id: 0, signal: 0, traceId: '', spanId: '', timeNs: 0n, rank: 0 } as const;
  return { ...ids, format: 'protobuf', resource: 0, scope: 1, bytes, ...members };
}

function digestsOf(items: readonly BatchItem[]): string[] {
  const batch: Batch = { tenant: 'default', destinations: [], groups, items };
  const digests = digestItems(batch);
  return items.map((_, position) => digestAt(digests, position).toString('hex'));
}

describe('digests of items', () => {
  // Stores on disk hold these digests: a faster way must come to the same.
  it.each([0, 1, 500, 16_000, 16_300, 16_384, 16_385, 100_000])('are what they were, of %i bytes', (length) => {
    const bytes = Buffer.alloc(length, 'span ');
    const heads = groups.map((group) => sha256(group.format, group.bytes));
    const urls = JSON.stringify(['protobuf', 'https://example.com/1', '']);
    const expected = sha256(urls, ...heads, bytes).toString('hex');
    expect(digestsOf([itemOf(bytes), itemOf(bytes)])).toEqual([expected, expected]);
  });

  it('differ by format, resource and scope', () => {
    const bytes = Buffer.from('the same');
    const variants = [{}, { format: 'json' as const }, { resource: 1 }, { scope: 0 }, { scope: 7 }];
    const digests = digestsOf(variants.map((members) => itemOf(bytes, members)));
    expect(new Set(digests).size).toBe(variants.length);
  });
});
