import type { GroupSlice } from './slice.ts';

/** One span or log record to be written into an export request, with the groups it belongs to. All bytes are protobuf. */
export interface WritableItem {
  readonly bytes: Uint8Array;
  readonly resource: GroupSlice;
  readonly scope: GroupSlice;
}

const TAG_GROUPS = 0x0a;
const TAG_HEAD = 0x0a;
const TAG_MEMBERS = 0x12;
const TAG_SCHEMA_URL = 0x1a;

interface ScopeGroup {
  readonly scope: GroupSlice;
  readonly members: Uint8Array[];
}

/**
 * Writes an export request around items without decoding them: traces and logs requests have the same framing. Items
 * whose groups are the same object share one group, in order of first appearance. What is unknown of a request goes out with its first item when read
 * again: an item with such fields comes back the same only out of a request of its own.
 */
export function writeExportRequest(items: readonly WritableItem[]): Uint8Array {
  const groups = new Map<GroupSlice, Map<GroupSlice, ScopeGroup>>();
  for (const { bytes, resource, scope } of items) {
    const scopes = groups.get(resource) ?? new Map<GroupSlice, ScopeGroup>();
    groups.set(resource, scopes);
    const group = scopes.get(scope) ?? { scope, members: [] };
    scopes.set(scope, group);
    group.members.push(bytes);
  }
  const parts: Uint8Array[] = [];
  for (const [resource, scopes] of groups) {
    if (resource.unknown !== undefined) parts.push(resource.unknown.request);
    const content = writeHead(resource);
    for (const { scope, members } of scopes.values()) {
      const scopeContent = writeHead(scope);
      for (const member of members) scopeContent.push(...frame(TAG_MEMBERS, [member]));
      content.push(...frame(TAG_MEMBERS, scopeContent));
    }
    parts.push(...frame(TAG_GROUPS, content));
  }
  return Buffer.concat(parts);
}

function writeHead(group: GroupSlice): Uint8Array[] {
  const head = group.bytes.length === 0 ? [] : frame(TAG_HEAD, [group.bytes]);
  if (group.schemaUrl !== '') head.push(...frame(TAG_SCHEMA_URL, [Buffer.from(group.schemaUrl)]));
  if (group.unknown !== undefined) head.push(group.unknown.group);
  return head;
}

function frame(tag: number, content: readonly Uint8Array[]): Uint8Array[] {
  const length = content.reduce((sum, part) => sum + part.length, 0);
  return [Uint8Array.from([tag, ...varint(length)]), ...content];
}

function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 0x7f) {
    bytes.push((rest % 128) | 0x80);
    rest = Math.floor(rest / 128);
  }
  return [...bytes, rest];
}
