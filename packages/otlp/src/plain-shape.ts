import type { Field, Type } from 'protobufjs/light.js';
import { SPAN_ID_BYTES, TRACE_ID_BYTES } from './identifier.ts';
import { ANY_VALUE_DEPTH_MAX } from './limits.ts';
import { HEX_MEMBERS, isNesting, messageType } from './message-type.ts';

/** Whether a value that is there is spelt plainly; `depth` counts arrays and key-value lists around it. */
type Check = (value: unknown, depth: number) => boolean;

const HEX_TRACE_ID = new RegExp(`^(?:[0-9a-fA-F]{${TRACE_ID_BYTES * 2}})?$`);
const HEX_SPAN_ID = new RegExp(`^(?:[0-9a-fA-F]{${SPAN_ID_BYTES * 2}})?$`);
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;
/** So few digits are in the range of any signed and of any unsigned integer of 64 bits. */
const SIGNED_DIGITS = /^-?\d{1,18}$/;
const UNSIGNED_DIGITS = /^\d{1,19}$/;

const isString: Check = (value) => typeof value === 'string';
const isSigned: Check = (value) =>
  typeof value === 'string' ? SIGNED_DIGITS.test(value) : Number.isSafeInteger(value);
const isUnsigned: Check = (value) =>
  typeof value === 'string' ? UNSIGNED_DIGITS.test(value) : Number.isSafeInteger(value) && (value as number) >= 0;
const isSigned32: Check = (value) => typeof value === 'number' && (value | 0) === value;
const isUnsigned32: Check = (value) => typeof value === 'number' && value >>> 0 === value;

const SCALARS: { readonly [type: string]: Check } = {
  string: isString,
  bool: (value) => typeof value === 'boolean',
  double: (value) => typeof value === 'number' && !Object.is(value, -0),
  int64: isSigned,
  sfixed64: isSigned,
  uint64: isUnsigned,
  fixed64: isUnsigned,
  int32: isSigned32,
  sint32: isSigned32,
  uint32: isUnsigned32,
  fixed32: isUnsigned32,
};

const isNothingKnown: Check = () => false;

const checks = new Map<Type, Check>();

/**
 * Whether a parsed OTLP/JSON message of this name is spelt as nearly every sender spells it, so that `normaliseJson` accepts it for
 * certain; false says nothing about it. Looks only, at a small part of what normalising takes. Integers beyond 2^53 that were
 * parsed as numbers are not plain, whatever has become of their digits.
 */
export function isPlainMessage(name: string, value: unknown): boolean {
  return checkOf(messageType(name))(value, 0);
}

function checkOf(type: Type): Check {
  const known = checks.get(type);
  if (known !== undefined) return known;
  const members = new Map<string, Check>();
  const level = isNesting(type.name) ? 1 : 0;
  const check: Check = (value, outer) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    const depth = outer + level;
    if (depth > ANY_VALUE_DEPTH_MAX) return false;
    for (const key in value) {
      const member = (value as { readonly [key: string]: unknown })[key];
      if (member !== null && members.get(key)?.(member, depth) === false) return false;
    }
    return true;
  };
  // Before its members are looked at: a message may hold itself.
  checks.set(type, check);
  for (const field of type.fieldsArray) members.set(field.name, memberCheck(field));
  return check;
}

function memberCheck(field: Field): Check {
  const one = field.resolvedType === null ? scalarCheck(field) : checkOf(field.resolvedType as Type);
  if (!field.repeated) return one;
  return (value, depth) => Array.isArray(value) && value.every((item) => one(item, depth));
}

function scalarCheck({ name, type }: Field): Check {
  if (type !== 'bytes') return SCALARS[type] ?? isNothingKnown;
  const spelling = HEX_MEMBERS.has(name) ? (name === 'traceId' ? HEX_TRACE_ID : HEX_SPAN_ID) : BASE64;
  return (value) => typeof value === 'string' && spelling.test(value);
}
