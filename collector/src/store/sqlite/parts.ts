import { createHash } from 'node:crypto';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { GroupSlice, SliceFormat } from '@reenact/otlp';
import { REMEMBERED_PARTS_MAX } from '../../limits.ts';
import { FORMAT_NUMBERS } from './schema.ts';

/** A stored resource or scope: its row, and its digest for the digest of what belongs to it. */
export interface PartReference {
  readonly id: number;
  readonly digest: Buffer;
}

/** Stores each resource and scope once, whoever sends it, and remembers the recent ones. */
export class Parts {
  private readonly insert: StatementSync;
  private readonly select: StatementSync;
  private readonly remembered = new Map<string, PartReference>();
  private bySlice = new WeakMap<GroupSlice, PartReference>();

  constructor(database: DatabaseSync) {
    this.insert = database.prepare('INSERT INTO part (digest, format, bytes) VALUES (?, ?, ?) ON CONFLICT DO NOTHING');
    this.select = database.prepare('SELECT id FROM part WHERE digest = ?');
  }

  /** The row of these bytes; inside a transaction. */
  store(format: SliceFormat, slice: GroupSlice): PartReference {
    const known = this.bySlice.get(slice);
    if (known !== undefined) return known;
    const digest = createHash('sha256').update(format).update(slice.bytes).digest();
    const key = digest.toString('base64');
    const reference = this.remembered.get(key) ?? this.write(format, slice, digest);
    if (this.remembered.size >= REMEMBERED_PARTS_MAX) this.remembered.clear();
    this.remembered.set(key, reference);
    this.bySlice.set(slice, reference);
    return reference;
  }

  /** Forgets everything: rows written by a transaction that was rolled back are not there. */
  forget(): void {
    this.remembered.clear();
    this.bySlice = new WeakMap();
  }

  private write(format: SliceFormat, slice: GroupSlice, digest: Buffer): PartReference {
    this.insert.run(digest, FORMAT_NUMBERS[format], slice.bytes);
    return { id: Number(this.select.get(digest)?.id), digest };
  }
}

/** Digest of an item's content: its bytes and everything it belongs to. */
export function digestItem(
  item: {
    readonly format: SliceFormat;
    readonly bytes: Uint8Array;
    readonly resource: GroupSlice;
    readonly scope: GroupSlice;
  },
  resource: PartReference,
  scope: PartReference,
): Buffer {
  const urls = JSON.stringify([item.format, item.resource.schemaUrl, item.scope.schemaUrl]);
  const hash = createHash('sha256').update(urls).update(resource.digest).update(scope.digest);
  return hash.update(item.bytes).digest();
}
