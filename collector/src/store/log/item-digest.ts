import { createHash } from 'node:crypto';
import type { Batch, BatchGroup } from './batch.ts';

const digests = new WeakMap<BatchGroup, Buffer>();

function groupDigest(group: BatchGroup): Buffer {
  const known = digests.get(group);
  if (known !== undefined) return known;
  const digest = createHash('sha256').update(group.format).update(group.bytes).digest();
  digests.set(group, digest);
  return digest;
}

const NO_GROUP: BatchGroup = { format: 'protobuf', schemaUrl: '', bytes: new Uint8Array(0) };

/**
 * SHA-256 of the content of every item of a batch: its format, the schema URLs and digests of its resource and scope,
 * and its bytes. Equal content has equal digests wherever it is stored.
 */
export function digestItems({ groups, items }: Batch): Buffer[] {
  return items.map((item) => {
    const resource = groups[item.resource] ?? NO_GROUP;
    const scope = groups[item.scope] ?? NO_GROUP;
    const urls = JSON.stringify([item.format, resource.schemaUrl, scope.schemaUrl]);
    const hash = createHash('sha256').update(urls).update(groupDigest(resource)).update(groupDigest(scope));
    return hash.update(item.bytes).digest();
  });
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

/** Names a resource or scope by its content: equal content, equal name. */
export function identifyGroup(group: BatchGroup): string {
  return `${groupDigest(group).toString('base64url')} ${group.schemaUrl}`;
}
