import { type PlainValue, toPlain } from './attributes.ts';
import { decodeAnyValue } from './protobuf-codec.ts';
import { createWireWalker, fieldBytes, joinParts, nextField, WIRE_BYTES, type WireWalker } from './wire-walker.ts';

const SPAN_ATTRIBUTES = 9;
const KEY = 1;
const VALUE = 2;

/** The plain value of one attribute of a protobuf span; the last of equal keys wins, undefined when there is none. */
export function readAttribute(span: Uint8Array, key: string): PlainValue | undefined {
  const wanted = Buffer.from(key);
  let found: Uint8Array | undefined;
  const walker = createWireWalker(span);
  while (nextField(walker)) {
    if (isAttribute(walker) && isKey(walker, wanted)) found = readValueBytes(walker);
  }
  return found === undefined ? undefined : toPlain(decodeAnyValue(found));
}

/** Which of these keys a protobuf span carries; no value is decoded. */
export function attributesPresent(span: Uint8Array, keys: readonly string[]): ReadonlySet<string> {
  const wanted = keys.map((key) => [key, Buffer.from(key)] as const);
  const present = new Set<string>();
  const walker = createWireWalker(span);
  while (nextField(walker)) {
    if (!isAttribute(walker)) continue;
    for (const [key, bytes] of wanted) if (isKey(walker, bytes)) present.add(key);
  }
  return present;
}

/** A protobuf span without the attributes of these keys; every other byte stays as it was. */
export function dropAttributes(span: Uint8Array, keys: readonly string[]): Uint8Array {
  const dropped = keys.map((key) => Buffer.from(key));
  const kept: Uint8Array[] = [];
  let keptFrom = 0;
  const walker = createWireWalker(span);
  while (nextField(walker)) {
    if (!isAttribute(walker) || !dropped.some((key) => isKey(walker, key))) continue;
    kept.push(span.subarray(keptFrom, walker.fieldStart));
    keptFrom = walker.position;
  }
  if (keptFrom === 0) return span;
  return Buffer.concat([...kept, span.subarray(keptFrom)]);
}

function isAttribute(walker: WireWalker): boolean {
  return walker.fieldNumber === SPAN_ATTRIBUTES && walker.wireType === WIRE_BYTES;
}

/** Compares the key's bytes; should a key be repeated within one attribute, the last one counts. */
function isKey(attribute: WireWalker, wanted: Uint8Array): boolean {
  let isEqual = wanted.length === 0;
  const walker = createWireWalker(attribute.bytes, attribute.valueStart, attribute.valueEnd);
  while (nextField(walker)) {
    if (walker.fieldNumber === KEY && walker.wireType === WIRE_BYTES) {
      const isSameLength = walker.valueEnd - walker.valueStart === wanted.length;
      isEqual = isSameLength && Buffer.compare(fieldBytes(walker), wanted) === 0;
    }
  }
  return isEqual;
}

function readValueBytes(attribute: WireWalker): Uint8Array {
  let value: Uint8Array | undefined;
  const walker = createWireWalker(attribute.bytes, attribute.valueStart, attribute.valueEnd);
  while (nextField(walker)) {
    if (walker.fieldNumber === VALUE && walker.wireType === WIRE_BYTES) value = joinParts(value, fieldBytes(walker));
  }
  return value ?? new Uint8Array(0);
}
