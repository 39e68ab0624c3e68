import { isUtf8 } from 'node:buffer';
import protobuf from 'protobufjs/light.js';
import { isOtherNan } from './json-scalar.ts';

/** What a conversion has found out so far. */
export interface Conversion {
  isLossless: boolean;
}

/**
 * A protobufjs reader that gives 64-bit integers as decimal strings, takes invalid UTF-8 and NaNs of other bits and notes them, and keeps
 * unknown fields so that they can be noticed. It needs no `long` package, which protobufjs finds in some loaders only.
 */
export function createReader(bytes: Uint8Array, conversion: Conversion): protobuf.Reader {
  const reader = protobuf.Reader.create(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
  reader.discardUnknown = false;
  const readText = (): string => {
    const text = reader.bytes();
    if (!isUtf8(text)) conversion.isLossless = false;
    return Buffer.from(text.buffer, text.byteOffset, text.length).toString('utf8');
  };
  const readFixed64 = (): string => {
    const low = BigInt(reader.fixed32());
    return ((BigInt(reader.fixed32()) << 32n) | low).toString();
  };
  const readUint64 = (): string => {
    const start = reader.pos;
    reader.skip();
    return readVarint(reader.buf, start, reader.pos).toString();
  };
  const readDouble = (): number => {
    if (reader.pos + 8 <= reader.len && isOtherNan(reader.buf, reader.pos)) conversion.isLossless = false;
    return protobuf.Reader.prototype.double.call(reader);
  };
  return Object.assign(reader, {
    string: readText,
    double: readDouble,
    fixed64: readFixed64,
    sfixed64: () => toSigned(readFixed64()),
    uint64: readUint64,
    int64: () => toSigned(readUint64()),
  });
}

function readVarint(bytes: Uint8Array, start: number, end: number): bigint {
  let value = 0n;
  for (let at = end - 1; at >= start; at -= 1) value = (value << 7n) | BigInt((bytes[at] as number) & 0x7f);
  return BigInt.asUintN(64, value);
}

function toSigned(text: string): string {
  return BigInt.asIntN(64, BigInt(text)).toString();
}

/** Decimal text as the two halves that protobufjs writes for a 64-bit integer. */
export function toLongBits(text: string): { low: number; high: number; unsigned: boolean } {
  const bits = BigInt.asUintN(64, BigInt(text));
  return { low: Number(bits & 0xffffffffn), high: Number(bits >> 32n), unsigned: true };
}
