import { createHash, hash } from 'node:crypto';
import type { SliceFormat, UnknownFields } from '@reenact/otlp';

/** A resource or scope: its bytes as received, empty when none was sent. */
export interface BatchGroup {
  readonly format: SliceFormat;
  readonly schemaUrl: string;
  readonly bytes: Uint8Array;
  /** What came around it and OTLP does not know. */
  readonly unknown?: UnknownFields;
}

const digests = new WeakMap<BatchGroup, Buffer>();
/** One text for each group: looked for in a map, each text is read through once. */
const names = new WeakMap<BatchGroup, string>();

/** SHA-256 of a resource or scope, with what came around it. */
export function groupDigest(group: BatchGroup): Buffer {
  const known = digests.get(group);
  if (known !== undefined) return known;
  const digest = withUnknown(createHash('sha256').update(group.format).update(group.bytes).digest(), group);
  digests.set(group, digest);
  return digest;
}

/** Most groups have none, and the digest they had before unknown fields were kept. */
function withUnknown(digest: Buffer, { unknown }: BatchGroup): Buffer {
  if (unknown === undefined) return digest;
  const parts = [unknown.group, unknown.request].map((bytes) => hash('sha256', bytes, 'buffer'));
  return hash('sha256', Buffer.concat([Buffer.from('unknown'), digest, ...parts]), 'buffer');
}

/** Names a resource or scope by its content: equal content, equal name. */
export function identifyGroup(group: BatchGroup): string {
  const known = names.get(group);
  if (known !== undefined) return known;
  const name = `${groupDigest(group).toString('base64url')} ${group.schemaUrl}`;
  names.set(group, name);
  return name;
}
