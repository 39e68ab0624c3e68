import { WIRE_GROUP_DEPTH_MAX } from './limits.ts';
import type { OtlpProblem, OtlpProblemCode } from './problem.ts';

/** Wire type of a varint: int32, int64, bool, enum. */
export const WIRE_VARINT = 0;
/** Wire type of eight fixed bytes: fixed64, double. */
export const WIRE_FIXED64 = 1;
/** Wire type of a length and that many bytes: string, bytes, message. */
export const WIRE_BYTES = 2;
/** Wire type of four fixed bytes: fixed32, float. */
export const WIRE_FIXED32 = 5;

/** Puts a number of 64 bits together without others in between. */
const fixed64 = new DataView(new ArrayBuffer(8));

const WIRE_GROUP_START = 3;
const WIRE_GROUP_END = 4;
const FIELD_NUMBER_MAX = 536_870_911;
const VARINT_BYTES_MAX = 10;

/**
 * A position in the protobuf wire format. `nextField` moves it; the field it stands on is described by the members.
 * Nothing is decoded and no byte outside [start, end) is read.
 */
export interface WireWalker {
  readonly bytes: Uint8Array;
  readonly end: number;
  /** Where the next field starts. */
  position: number;
  fieldNumber: number;
  wireType: number;
  /** Where the field's tag starts. */
  fieldStart: number;
  /** Where the field's value starts, after its length. */
  valueStart: number;
  valueEnd: number;
  /** Set when the walk ended before the end of the bytes. */
  problem: OtlpProblem | undefined;
  /** Low 32 bits of the varint read last. */
  low: number;
}

/** A walker over bytes[start, end); the whole array by default. */
export function createWireWalker(bytes: Uint8Array, start = 0, end = bytes.length): WireWalker {
  return {
    bytes,
    end,
    position: start,
    fieldNumber: 0,
    wireType: 0,
    fieldStart: start,
    valueStart: start,
    valueEnd: start,
    problem: undefined,
    low: 0,
  };
}

/** Moves to the next field. False at the end, and at the first malformed field, which `problem` then describes. */
export function nextField(walker: WireWalker): boolean {
  if (walker.problem !== undefined || walker.position >= walker.end) return false;
  if (takeShortField(walker)) return true;
  if (!readTag(walker)) return false;
  return walker.wireType === WIRE_GROUP_START ? skipGroup(walker) : readExtent(walker);
}

/** Most fields have a tag of one byte and hold bytes whose length takes one; they need none of the care that others do. */
function takeShortField(walker: WireWalker): boolean {
  const { bytes, position, end } = walker;
  const tag = bytes[position] as number;
  if ((tag & 0x87) !== WIRE_BYTES || tag < 8 || position + 2 > end) return false;
  const length = bytes[position + 1] as number;
  const valueEnd = position + 2 + length;
  if (length > 0x7f || valueEnd > end) return false;
  walker.fieldStart = position;
  walker.fieldNumber = tag >>> 3;
  walker.wireType = WIRE_BYTES;
  walker.valueStart = position + 2;
  walker.valueEnd = valueEnd;
  walker.position = valueEnd;
  walker.low = length;
  return true;
}

function readTag(walker: WireWalker): boolean {
  const start = walker.position;
  walker.fieldStart = start;
  if (!readVarint(walker, 5, 'tag')) return false;
  const tag = walker.low;
  const fieldNumber = tag >>> 3;
  if (fieldNumber === 0 || fieldNumber > FIELD_NUMBER_MAX) {
    return fail(walker, 'bad-tag', `field number ${fieldNumber} is not allowed`, start);
  }
  walker.fieldNumber = fieldNumber;
  walker.wireType = tag & 7;
  return true;
}

function readExtent(walker: WireWalker): boolean {
  const start = walker.position;
  walker.valueStart = start;
  switch (walker.wireType) {
    case WIRE_VARINT:
      if (!readVarint(walker, VARINT_BYTES_MAX, 'varint')) return false;
      break;
    case WIRE_FIXED64:
      walker.position = start + 8;
      break;
    case WIRE_BYTES:
      if (!readVarint(walker, VARINT_BYTES_MAX, 'length')) return false;
      walker.valueStart = walker.position;
      walker.position += walker.low;
      break;
    case WIRE_FIXED32:
      walker.position = start + 4;
      break;
    default:
      return fail(walker, 'bad-wire-type', `wire type ${walker.wireType} does not exist here`, walker.fieldStart);
  }
  walker.valueEnd = walker.position;
  if (walker.position <= walker.end) return true;
  const missing = walker.position - walker.end;
  return fail(walker, 'truncated', `field ${walker.fieldNumber} is cut off, ${missing} bytes are missing`, start);
}

/** Reads one varint at the position into `low`; what does not fit 32 bits counts as "too long" for a length. */
function readVarint(walker: WireWalker, bytesMax: number, what: string): boolean {
  const { bytes, end } = walker;
  const start = walker.position;
  let at = start;
  let low = 0;
  let isWide = false;
  for (let count = 0; count < bytesMax; count += 1) {
    if (at >= end) return fail(walker, 'truncated', `a ${what} is cut off`, start);
    const byte = bytes[at++] as number;
    if (count < 4) low |= (byte & 0x7f) << (7 * count);
    else if (count === 4) {
      low |= (byte & 0x0f) << 28;
      isWide = (byte & 0x70) !== 0;
    } else isWide ||= (byte & 0x7f) !== 0;
    if (byte < 0x80) {
      walker.position = at;
      walker.low = low >>> 0;
      if (isWide && what !== 'varint') return fail(walker, 'bad-varint', `a ${what} exceeds 32 bits`, start);
      return true;
    }
  }
  return fail(walker, 'bad-varint', `a ${what} is longer than ${bytesMax} bytes`, start);
}

/** Steps over a group and everything nested in it; its value range is the group's content with its end tag. */
function skipGroup(walker: WireWalker): boolean {
  const groupStart = walker.fieldStart;
  const groupNumber = walker.fieldNumber;
  const contentStart = walker.position;
  const open = [groupNumber];
  while (open.length > 0) {
    if (walker.position >= walker.end) return fail(walker, 'truncated', 'a group is not closed', groupStart);
    if (!readTag(walker)) return false;
    if (walker.wireType === WIRE_GROUP_START) {
      if (open.length >= WIRE_GROUP_DEPTH_MAX) return fail(walker, 'too-deep', 'groups nest too deep', groupStart);
      open.push(walker.fieldNumber);
    } else if (walker.wireType === WIRE_GROUP_END) {
      if (open.pop() !== walker.fieldNumber) {
        return fail(walker, 'bad-wire-type', 'a group is closed by another field number', walker.fieldStart);
      }
    } else if (!readExtent(walker)) return false;
  }
  walker.fieldStart = groupStart;
  walker.fieldNumber = groupNumber;
  walker.wireType = WIRE_GROUP_START;
  walker.valueStart = contentStart;
  walker.valueEnd = walker.position;
  return true;
}

function fail(walker: WireWalker, code: OtlpProblemCode, message: string, offset: number): false {
  walker.problem = { code, message: `${message} (byte ${offset})`, offset };
  return false;
}

/** The eight bytes the walker stands on as an unsigned integer. */
export function readFixed64({ bytes, valueStart }: WireWalker): bigint {
  for (let index = 0; index < 8; index += 1) fixed64.setUint8(index, bytes[valueStart + index] as number);
  return fixed64.getBigUint64(0, true);
}
