import { nameNumber } from './json-scalar.ts';
import type { AnyValue, KeyValue } from './span.ts';

/** An attribute value as plain JavaScript. 64-bit integers outside the safe range stay decimal strings. */
export type PlainValue = string | number | boolean | null | PlainValue[] | { [key: string]: PlainValue };

/** Turns an AnyValue into plain JavaScript; bytes come back as their base64 text. */
export function toPlain(value: AnyValue | undefined): PlainValue {
  if (value === undefined) return null;
  if (value.stringValue !== undefined) return value.stringValue;
  if (value.boolValue !== undefined) return value.boolValue;
  if (value.intValue !== undefined) {
    const number = Number(value.intValue);
    return Number.isSafeInteger(number) ? number : String(value.intValue);
  }
  if (value.doubleValue !== undefined) return Number(value.doubleValue);
  if (value.arrayValue !== undefined) return (value.arrayValue.values ?? []).map(toPlain);
  if (value.kvlistValue !== undefined) return Object.fromEntries(toMap(value.kvlistValue.values));
  if (value.bytesValue !== undefined) return value.bytesValue;
  return null;
}

/** Attributes as a map from key to plain value; the last of two equal keys wins. */
export function toMap(attributes: readonly KeyValue[] | undefined): Map<string, PlainValue> {
  return new Map((attributes ?? []).map(({ key, value }) => [key, toPlain(value)]));
}

/** Turns plain JavaScript into an AnyValue: integral numbers become intValue, others doubleValue. */
export function fromPlain(value: PlainValue): AnyValue {
  if (value === null) return {};
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number') return fromNumber(value);
  if (Array.isArray(value)) return { arrayValue: { values: value.map(fromPlain) } };
  return { kvlistValue: { values: fromMap(Object.entries(value)) } };
}

function fromNumber(value: number): AnyValue {
  if (Number.isSafeInteger(value) && !Object.is(value, -0)) return { intValue: String(value) };
  return { doubleValue: nameNumber(value) };
}

/** Attributes from entries, in their order. */
export function fromMap(entries: Iterable<readonly [string, PlainValue]>): KeyValue[] {
  return Array.from(entries, ([key, value]) => ({ key, value: fromPlain(value) }));
}
