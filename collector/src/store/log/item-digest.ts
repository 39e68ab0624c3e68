import { createHash, hash } from 'node:crypto';
import type { SliceFormat } from '@reenact/otlp';
import type { Batch } from './batch.ts';
import { type BatchGroup, groupDigest } from './batch-group.ts';

const NO_GROUP: BatchGroup = { format: 'protobuf', schemaUrl: '', bytes: new Uint8Array(0) };

/** Up to this size, copying an item behind its heads and hashing both at once is cheaper than a hash object for it. */
const SMALL_ITEM_BYTES = 16 * 1024;

/**
 * SHA-256 of the content of every item of a batch: its format, the schema URLs and digests of its resource and scope,
 * and its bytes. Equal content has equal digests wherever it is stored.
 */
export function digestItems({ groups, items }: Batch): Buffer[] {
  const scratch = Buffer.allocUnsafe(SMALL_ITEM_BYTES);
  const heads = new Map<string, Buffer>();
  return items.map(({ format, resource, scope, bytes }) => {
    const key = `${format} ${resource} ${scope}`;
    const head = heads.get(key) ?? headOf(format, groups[resource] ?? NO_GROUP, groups[scope] ?? NO_GROUP);
    heads.set(key, head);
    const length = head.length + bytes.length;
    if (length > SMALL_ITEM_BYTES) return createHash('sha256').update(head).update(bytes).digest();
    head.copy(scratch);
    scratch.set(bytes, head.length);
    return hash('sha256', scratch.subarray(0, length), 'buffer');
  });
}

/** What comes before the bytes of an item: items of the same groups share it. */
function headOf(format: SliceFormat, resource: BatchGroup, scope: BatchGroup): Buffer {
  const urls = Buffer.from(JSON.stringify([format, resource.schemaUrl, scope.schemaUrl]));
  return Buffer.concat([urls, groupDigest(resource), groupDigest(scope)]);
}

/** SHA-256 of a tenant's name: how the chain names a tenant. */
export function digestTenant(tenant: string): Buffer {
  return createHash('sha256').update(tenant).digest();
}

/** SHA-256 over the tenant and the items of a frame: what the chain commits to. */
export function digestContent(tenantDigest: Uint8Array, itemDigests: readonly Uint8Array[]): Buffer {
  const hash = createHash('sha256').update(tenantDigest);
  for (const digest of itemDigests) hash.update(digest);
  return hash.digest();
}
