import { createHash, hash } from 'node:crypto';
import type { SliceFormat } from '@reenact/otlp';
import type { Batch, BatchItem } from './batch.ts';
import { type BatchGroup, groupDigest } from './batch-group.ts';

const NO_BYTES = Buffer.alloc(0);
const NO_GROUP: BatchGroup = { format: 'protobuf', schemaUrl: '', bytes: NO_BYTES };

/** Bytes of the digest of one item. */
export const DIGEST_BYTES = 32;

/** Up to this size, copying an item behind its heads and hashing both at once is cheaper than a hash object for it. */
const SMALL_ITEM_BYTES = 16 * 1024;

/**
 * SHA-256 of the content of every item of a batch, one behind the other: its format, the schema URLs and digests of its resource and scope,
 * and its bytes. Equal content has equal digests wherever it is stored.
 */
export function digestItems({ groups, items }: Batch): Buffer {
  const digests = Buffer.allocUnsafe(items.length * DIGEST_BYTES);
  const scratch = Buffer.allocUnsafe(SMALL_ITEM_BYTES);
  const heads = new Map<string, Buffer>();
  let head: Buffer = NO_BYTES;
  let last: BatchItem | undefined;
  for (const [position, item] of items.entries()) {
    const { format, resource, scope, bytes } = item;
    if (last?.format !== format || last.resource !== resource || last.scope !== scope) {
      const key = `${format} ${resource} ${scope}`;
      head = heads.get(key) ?? headOf(format, groups[resource] ?? NO_GROUP, groups[scope] ?? NO_GROUP);
      heads.set(key, head);
      head.copy(scratch);
    }
    last = item;
    const length = head.length + bytes.length;
    if (length > SMALL_ITEM_BYTES) {
      digests.set(createHash('sha256').update(head).update(bytes).digest(), position * DIGEST_BYTES);
      continue;
    }
    scratch.set(bytes, head.length);
    // As text: a buffer for each digest is memory outside the heap, which takes longer than the hashing does.
    digests.write(hash('sha256', scratch.subarray(0, length), 'binary'), position * DIGEST_BYTES, 'latin1');
  }
  return digests;
}

/** The digest of the item at this position, not copied. */
export function digestAt(digests: Buffer, position: number): Buffer {
  return digests.subarray(position * DIGEST_BYTES, (position + 1) * DIGEST_BYTES);
}

/** What comes before the bytes of an item: items of the same groups share it. */
function headOf(format: SliceFormat, resource: BatchGroup, scope: BatchGroup): Buffer {
  const urls = Buffer.from(JSON.stringify([format, resource.schemaUrl, scope.schemaUrl]));
  return Buffer.concat([urls, groupDigest(resource), groupDigest(scope)]);
}

/** How many digests these are. */
export function countDigests(digests: Uint8Array): number {
  return digests.length / DIGEST_BYTES;
}

/** SHA-256 of a tenant's name: how the chain names a tenant. */
export function digestTenant(tenant: string): Buffer {
  return createHash('sha256').update(tenant).digest();
}

/** SHA-256 over the tenant and the items of a frame: what the chain commits to. */
export function digestContent(tenantDigest: Uint8Array, itemDigests: Uint8Array): Buffer {
  return createHash('sha256').update(tenantDigest).update(itemDigests).digest();
}
