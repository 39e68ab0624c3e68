import type { Field, Type } from 'protobufjs/light.js';
import { nameNumber } from './json-scalar.ts';
import { type Conversion, createReader, toLongBits } from './lossless-reader.ts';
import { HEX_MEMBERS, LONG_TYPES, messageType, REQUIRED_MEMBERS } from './message-type.ts';
import { decodePlainMessage } from './plain-message-decoder.ts';
import type { OtlpProblem } from './problem.ts';
import type { AnyValue, InstrumentationScope, LogRecord, LogsData, Resource, Span, TracesData } from './span.ts';

/** A decoded message, or why its bytes could not be decoded. */
export type Decoded<Message> =
  | {
      readonly ok: true;
      readonly value: Message;
      /** False when the OTLP/JSON shape cannot hold all of the bytes: invalid UTF-8, a NaN of other bits, or fields this version does not know. */
      readonly isLossless: boolean;
    }
  | { readonly ok: false; readonly problem: OtlpProblem };

/** Decodes one span. Invalid UTF-8 becomes U+FFFD and unknown fields are left out; `isLossless` then is false. */
export function decodeSpan(bytes: Uint8Array): Decoded<Span> {
  return decodeMessage<Span>('Span', bytes);
}

/** Decodes one resource. */
export function decodeResource(bytes: Uint8Array): Decoded<Resource> {
  return decodeMessage<Resource>('Resource', bytes);
}

/** Decodes one instrumentation scope. */
export function decodeScope(bytes: Uint8Array): Decoded<InstrumentationScope> {
  return decodeMessage<InstrumentationScope>('InstrumentationScope', bytes);
}

/** Decodes one log record. */
export function decodeLogRecord(bytes: Uint8Array): Decoded<LogRecord> {
  return decodeMessage<LogRecord>('LogRecord', bytes);
}

/** Decodes a traces export request without checking ids; `walkTracesProtobuf` is what receives. */
export function decodeTracesProtobuf(bytes: Uint8Array): Decoded<TracesData> {
  return decodeMessage<TracesData>('TracesData', bytes);
}

/** Decodes one attribute value; bytes that are not one give the empty value, which means null. */
export function decodeAnyValue(bytes: Uint8Array): AnyValue {
  const decoded = decodeMessage<AnyValue>('AnyValue', bytes);
  return decoded.ok ? decoded.value : {};
}

/** Encodes spans as an export request. Members that OTLP does not define are left out. */
export function encodeTracesProtobuf(data: TracesData): Uint8Array {
  return encodeMessage('TracesData', data);
}

/** Encodes log records as an export request. */
export function encodeLogsProtobuf(data: LogsData): Uint8Array {
  return encodeMessage('LogsData', data);
}

/** Encodes one span. */
export function encodeSpan(span: Span): Uint8Array {
  return encodeMessage('Span', span);
}

/** Encodes one resource. */
export function encodeResource(resource: Resource): Uint8Array {
  return encodeMessage('Resource', resource);
}

/** Encodes one instrumentation scope. */
export function encodeScope(scope: InstrumentationScope): Uint8Array {
  return encodeMessage('InstrumentationScope', scope);
}

/** Encodes one log record. */
export function encodeLogRecord(record: LogRecord): Uint8Array {
  return encodeMessage('LogRecord', record);
}

/** Decodes a message of the descriptor into the OTLP/JSON shape: hex ids, decimal-string int64, base64 bytes. */
export function decodeMessage<Message>(name: string, bytes: Uint8Array): Decoded<Message> {
  const plain = decodePlainMessage(messageType(name), bytes);
  if (plain !== undefined) return { ok: true, value: plain as Message, isLossless: true };
  return decodeAnyMessage<Message>(name, bytes);
}

/** The same with all that protobuf allows, by protobufjs. */
export function decodeAnyMessage<Message>(name: string, bytes: Uint8Array): Decoded<Message> {
  const conversion: Conversion = { isLossless: true };
  try {
    const type = messageType(name);
    const reader = createReader(bytes, conversion);
    const value = toShape(type, type.decode(reader), conversion) as Message;
    return { ok: true, value, isLossless: conversion.isLossless };
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    return { ok: false, problem: { code: 'bad-shape', message: `${name} cannot be decoded: ${reason}`, offset: 0 } };
  }
}

/** Encodes an object of the OTLP/JSON shape as a message of the descriptor. */
export function encodeMessage(name: string, shape: object): Uint8Array {
  const type = messageType(name);
  return type.encode(fromShape(type, shape)).finish();
}

function toShape(type: Type, message: object, conversion: Conversion): object {
  if ('$unknowns' in message) conversion.isLossless = false;
  const entries: [string, unknown][] = [];
  for (const field of type.fieldsArray) {
    const value = presentValue(field, message);
    if (value === undefined || isNoParent(field, value)) continue;
    const shaped = Array.isArray(value)
      ? value.map((item) => valueToShape(field, item, conversion))
      : valueToShape(field, value, conversion);
    entries.push([field.name, shaped]);
  }
  const shape = Object.fromEntries(entries);
  for (const [member, standIn] of REQUIRED_MEMBERS[type.name] ?? []) shape[member] ??= standIn();
  return shape;
}

/** The value of a field that was sent; of several members of one oneof, only the last one sent. */
function presentValue(field: Field, message: object): unknown {
  if (field.repeated && (Reflect.get(message, field.name) as unknown[]).length === 0) return undefined;
  if (!Object.hasOwn(message, field.name)) return undefined;
  if (field.partOf !== null && Reflect.get(message, field.partOf.name) !== field.name) return undefined;
  return Reflect.get(message, field.name);
}

/** Some emitters send eight zero bytes for "no parent". */
function isNoParent(field: Field, value: unknown): boolean {
  return field.name === 'parentSpanId' && value instanceof Uint8Array && value.every((byte) => byte === 0);
}

function valueToShape(field: Field, value: unknown, conversion: Conversion): unknown {
  if (field.resolvedType !== null) return toShape(field.resolvedType as Type, value as object, conversion);
  if (field.type === 'bytes') {
    const bytes = value as Uint8Array;
    const encoding = HEX_MEMBERS.has(field.name) ? 'hex' : 'base64';
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString(encoding);
  }
  if (field.type === 'double') return nameNumber(value as number);
  return value;
}

function fromShape(type: Type, shape: object): object {
  const entries: [string, unknown][] = [];
  for (const field of type.fieldsArray) {
    const value: unknown = Reflect.get(shape, field.name);
    if (value === undefined || value === null) continue;
    const message = Array.isArray(value)
      ? value.map((item) => valueFromShape(field, item))
      : valueFromShape(field, value);
    entries.push([field.name, message]);
  }
  return Object.fromEntries(entries);
}

function valueFromShape(field: Field, value: unknown): unknown {
  if (field.resolvedType !== null) return fromShape(field.resolvedType as Type, value as object);
  if (field.type === 'bytes') return Buffer.from(String(value), HEX_MEMBERS.has(field.name) ? 'hex' : 'base64');
  if (field.type === 'double') return Number(value);
  if (LONG_TYPES.has(field.type)) return toLongBits(String(value));
  // JSON can spell half of a surrogate pair, for which UTF-8 has no bytes: what protobufjs writes of it makes readers refuse the whole request.
  return typeof value === 'string' ? value.toWellFormed() : value;
}
