import type { UnknownFields } from './slice.ts';
import { createWireWalker, nextField, WIRE_BYTES } from './wire-walker.ts';

const EMPTY: Uint8Array = new Uint8Array(0);
const COMMA = 0x2c;
const SPACES = [0x20, 0x0a, 0x0d, 0x09];

/** What is unknown of a group and of the request around it. */
export function unknownFields(group: Uint8Array = EMPTY, request: Uint8Array = EMPTY): UnknownFields {
  return { group, request };
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
  let total = 0;
  eachUnknown(bytes, start, end, known, (from, to) => {
    total += to - from;
  });
  if (total === 0) return undefined;
  const collected = new Uint8Array(total);
  let at = 0;
  eachUnknown(bytes, start, end, known, (from, to) => {
    collected.set(bytes.subarray(from, to), at);
    at += to - from;
  });
  return collected;
}

function eachUnknown(
  bytes: Uint8Array,
  start: number,
  end: number,
  known: readonly number[],
  visit: (from: number, to: number) => void,
): void {
  const walker = createWireWalker(bytes, start, end);
  while (nextField(walker)) {
    const isKnown = walker.wireType === WIRE_BYTES && known.includes(walker.fieldNumber);
    if (!isKnown) visit(walker.fieldStart, walker.position);
  }
}

/** Notes the member at [start, end) of a JSON text, in flat pairs: as a part of the last one where only a comma is between them. */
export function noteMember(bytes: Uint8Array, members: number[], start: number, end: number): void {
  const last = members.length - 1;
  if (last > 0 && isOnlyComma(bytes, members[last] ?? 0, start)) members[last] = end;
  else members.push(start, end);
}

function isOnlyComma(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte !== COMMA && !SPACES.includes(byte)) return false;
  }
  return true;
}

/** One JSON object with the members that were noted; undefined when there are none. */
export function joinMembers(bytes: Uint8Array, members: readonly number[]): Uint8Array | undefined {
  if (members.length === 0) return undefined;
  const parts: Uint8Array[] = [];
  for (let at = 0; at < members.length; at += 2) {
    parts.push(Buffer.from(at === 0 ? '{' : ','), bytes.subarray(members[at], members[at + 1]));
  }
  return Buffer.concat([...parts, Buffer.from('}')]);
}
