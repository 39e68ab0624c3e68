import { ByteParts, copyBytes } from './byte-parts.ts';
import type { GroupSlice, UnknownFields } from './slice.ts';
import { createWireWalker, nextField, WIRE_BYTES, type WireWalker } from './wire-walker.ts';

/** The numbers of these in ResourceSpans, ScopeSpans, ResourceLogs and ScopeLogs alike. */
export const GROUP_HEAD = 1;
export const GROUP_SCHEMA_URL = 3;

const EMPTY: Uint8Array = new Uint8Array(0);
/** Lenient, and keeping a byte order mark: a schema URL is what was sent. */
const text = new TextDecoder('utf-8', { ignoreBOM: true });
const COMMA = 0x2c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const SPACES = [0x20, 0x0a, 0x0d, 0x09];

/** What is unknown of a group and of the request around it. */
export function unknownFields(group: Uint8Array = EMPTY, request: Uint8Array = EMPTY): UnknownFields {
  return { group, request };
}

/** The same group, of an item that has what is unknown of the request beside it. */
export function withRequest(group: GroupSlice, request: Uint8Array | undefined): GroupSlice {
  return request === undefined ? group : { ...group, unknown: unknownFields(group.unknown?.group, request) };
}

/**
 * The fields of the message at bytes[start, end) that are none of these, which all hold bytes, in their order; undefined when there are none.
 * What comes after a malformed field is not looked at.
 */
export function collectUnknown(
  bytes: Uint8Array,
  start: number,
  end: number,
  known: readonly number[],
): Uint8Array | undefined {
  const unknown = new ByteParts(bytes);
  const walker = createWireWalker(bytes, start, end);
  while (nextField(walker)) if (!isKnown(walker, known)) unknown.note(walker.fieldStart, walker.position);
  if (unknown.isScattered) {
    const again = createWireWalker(bytes, start, end);
    while (nextField(again)) if (!isKnown(again, known)) unknown.fill(again.fieldStart, again.position);
  }
  return wholeOf(unknown);
}

/** What ResourceSpans, ScopeSpans, ResourceLogs or ScopeLogs say beside their members. */
export interface Around {
  /** The resource or scope, which may follow the members and may have come in pieces; empty when it never did. */
  readonly head: Uint8Array;
  readonly schemaUrl: string;
  readonly unknown: Uint8Array | undefined;
}

/**
 * Reads what is around the members of the group at bytes[start, end): its head, its schema URL, and the fields that are none of `known`, which all hold bytes.
 * In one pass, or two where something is scattered. What comes after a malformed field is not looked at.
 */
export function readAround(bytes: Uint8Array, start: number, end: number, known: readonly number[]): Around {
  const [head, unknown] = [new ByteParts(bytes), new ByteParts(bytes)];
  let [urlStart, urlEnd] = [start, start];
  const walker = createWireWalker(bytes, start, end);
  while (nextField(walker)) {
    if (!isKnown(walker, known)) unknown.note(walker.fieldStart, walker.position);
    else if (walker.fieldNumber === GROUP_HEAD) head.note(walker.valueStart, walker.valueEnd);
    else if (walker.fieldNumber === GROUP_SCHEMA_URL) [urlStart, urlEnd] = [walker.valueStart, walker.valueEnd];
  }
  if (head.isScattered || unknown.isScattered) fillParts(createWireWalker(bytes, start, end), known, head, unknown);
  const schemaUrl = text.decode(bytes.subarray(urlStart, urlEnd));
  return { head: head.whole(), schemaUrl, unknown: wholeOf(unknown) };
}

function fillParts(walker: WireWalker, known: readonly number[], head: ByteParts, unknown: ByteParts): void {
  while (nextField(walker)) {
    if (!isKnown(walker, known)) {
      if (unknown.isScattered) unknown.fill(walker.fieldStart, walker.position);
    } else if (walker.fieldNumber === GROUP_HEAD && head.isScattered) head.fill(walker.valueStart, walker.valueEnd);
  }
}

function wholeOf(parts: ByteParts): Uint8Array | undefined {
  const whole = parts.whole();
  return whole.length === 0 ? undefined : whole;
}

function isKnown({ wireType, fieldNumber }: WireWalker, known: readonly number[]): boolean {
  return wireType === WIRE_BYTES && known.includes(fieldNumber);
}

/** Notes the member at [start, end) of a JSON text, in flat pairs, and returns them: as a part of the last one where only a comma is between them. */
export function noteMember(bytes: Uint8Array, members: number[] | undefined, start: number, end: number): number[] {
  if (members === undefined) return [start, end];
  const last = members.length - 1;
  if (isOnlyComma(bytes, members[last] ?? 0, start)) members[last] = end;
  else members.push(start, end);
  return members;
}

function isOnlyComma(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte !== COMMA && !SPACES.includes(byte)) return false;
  }
  return true;
}

/** One JSON object with the members that were noted; undefined when there are none. */
export function joinMembers(bytes: Uint8Array, members: readonly number[] | undefined): Uint8Array | undefined {
  if (members === undefined) return undefined;
  // Every range has a bracket or a comma before it, and the last a bracket behind it.
  let total = 1 + members.length / 2;
  for (let at = 0; at < members.length; at += 2) total += (members[at + 1] ?? 0) - (members[at] ?? 0);
  const joined = new Uint8Array(total);
  let end = 0;
  for (let at = 0; at < members.length; at += 2) {
    joined[end] = at === 0 ? OPEN_OBJECT : COMMA;
    end = copyBytes(bytes, members[at] ?? 0, members[at + 1] ?? 0, joined, end + 1);
  }
  joined[end] = CLOSE_OBJECT;
  return joined;
}
