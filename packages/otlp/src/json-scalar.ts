import type { NamedNumber } from './span.ts';

const RANGES: { readonly [type: string]: readonly [bigint, bigint] } = {
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
  sint32: [-(2n ** 31n), 2n ** 31n - 1n],
  uint32: [0n, 2n ** 32n - 1n],
  fixed32: [0n, 2n ** 32n - 1n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
  sfixed64: [-(2n ** 63n), 2n ** 63n - 1n],
  uint64: [0n, 2n ** 64n - 1n],
  fixed64: [0n, 2n ** 64n - 1n],
};

/** Whether a text is what `readInteger` gives of it, for any 64-bit type: nearly every time and count is written so. */
export function isPlainInteger(text: string): boolean {
  return /^(0|[1-9]\d{0,17})$/.test(text);
}

/** Whether a text is what an id of that many bytes reads as: lower-case hex, and not zeros only. */
export function isPlainIdentifier(text: string, bytes: number): boolean {
  return text.length === bytes * 2 && /^[0-9a-f]+$/.test(text) && !/^0+$/.test(text);
}

/** The canonical decimal text of a JSON number or string within the range of a protobuf integer type. */
export function readInteger(value: unknown, type: string): string | undefined {
  const integer = parseInteger(value);
  const range = RANGES[type];
  if (integer === undefined || range === undefined || integer < range[0] || integer > range[1]) return undefined;
  return integer.toString();
}

function parseInteger(value: unknown): bigint | undefined {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : undefined;
  if (typeof value !== 'string') return undefined;
  if (/^-?\d{1,20}$/.test(value)) return BigInt(value);
  if (!/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(value)) return undefined;
  const number = Number(value);
  return Number.isSafeInteger(number) ? BigInt(number) : undefined;
}

/** A double as OTLP/JSON holds it, written or named by whoever sent it. */
export function readNumber(value: unknown): NamedNumber | undefined {
  if (typeof value === 'number') return nameNumber(value);
  if (value === 'NaN' || value === 'Infinity' || value === '-Infinity') return value;
  if (typeof value !== 'string' || !/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(value)) return undefined;
  return nameNumber(Number(value));
}

/** A double as OTLP/JSON holds it: a number, or the name of one that JSON cannot spell, or that `JSON.stringify` writes as another. */
export function nameNumber(value: number): NamedNumber {
  if (Object.is(value, -0)) return '-0';
  if (Number.isFinite(value)) return value;
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? 'Infinity' : '-Infinity';
}

/** Base64, URL-safe or not, padded or not, as padded standard base64. */
export function readBase64(text: string): string | undefined {
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(text)) return undefined;
  return Buffer.from(text, 'base64').toString('base64');
}

/** The bytes of an id written as hex of any case, as OTLP/JSON says, or as base64, as plain proto3 JSON does. */
export function readHexOrBase64(text: string, bytes: number): Buffer | undefined {
  const isHex = /^([0-9a-fA-F]{2})*$/.test(text);
  if (isHex && text.length === bytes * 2) return Buffer.from(text, 'hex');
  const base64 = readBase64(text);
  if (base64 !== undefined) {
    const decoded = Buffer.from(base64, 'base64');
    if (decoded.length === bytes) return decoded;
  }
  return isHex ? Buffer.from(text, 'hex') : undefined;
}

/** What every NaN is read as again; one of other bits is another value to whoever sent it, which "NaN" does not say. */
const NAN_HIGH = 0x7ff80000;

/** Whether the bytes of a double, in little-endian order, are of a NaN that its name does not give back. */
export function isOtherNan(bytes: Uint8Array, start: number): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset + start, 8);
  return (
    Number.isNaN(view.getFloat64(0, true)) && (view.getUint32(4, true) !== NAN_HIGH || view.getUint32(0, true) !== 0)
  );
}
