import { type PlainValue, toPlain } from './attributes.ts';
import { decodeAnyValue } from './protobuf-codec.ts';
import { collectMessage } from './span-facts.ts';
import { createWireWalker, nextField, WIRE_BYTES, type WireWalker } from './wire-walker.ts';

const SPAN_ATTRIBUTES = 9;
const KEY = 1;
const VALUE = 2;
const KEY_TAG = (KEY << 3) | WIRE_BYTES;
const VALUE_TAG = (VALUE << 3) | WIRE_BYTES;

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

/** Of most spans, which have none of what is looked for. */
const NONE: ReadonlySet<string> = new Set();

/** Keys as bytes, by their length: most attributes are told apart by that alone. */
type KeysByLength = ReadonlyMap<number, readonly (readonly [key: string, bytes: Uint8Array])[]>;

/** Asked for with the same few lists for every span. */
const knownKeys = new WeakMap<readonly string[], KeysByLength>();

function keysByLength(keys: readonly string[]): KeysByLength {
  const known = knownKeys.get(keys);
  if (known !== undefined) return known;
  const made = Map.groupBy(
    keys.map((key) => [key, Buffer.from(key)] as const),
    ([, bytes]) => bytes.length,
  );
  knownKeys.set(keys, made);
  return made;
}

/** Which of these keys a protobuf span carries; no value is decoded. */
export function attributesPresent(span: Uint8Array, keys: readonly string[]): ReadonlySet<string> {
  const wanted = keysByLength(keys);
  let present: Set<string> | undefined;
  const walker = createWireWalker(span);
  while (nextField(walker)) {
    if (!isAttribute(walker)) continue;
    const { start, end } = shortKey(walker) ?? findKey(walker);
    const candidates = wanted.get(end - start);
    if (candidates === undefined) continue;
    for (const [key, bytes] of candidates) if (isAt(span, start, bytes)) present = (present ?? new Set()).add(key);
  }
  return present ?? NONE;
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

function isKey(attribute: WireWalker, wanted: Uint8Array): boolean {
  const { start, end } = findKey(attribute);
  return end - start === wanted.length && isAt(attribute.bytes, start, wanted);
}

function isAt(bytes: Uint8Array, start: number, wanted: Uint8Array): boolean {
  for (let index = 0; index < wanted.length; index += 1) if (bytes[start + index] !== wanted[index]) return false;
  return true;
}

/** Where the key of an attribute lies that is written as nearly all are: a short key, then a value up to the end. */
function shortKey({ bytes, valueStart, valueEnd }: WireWalker): { start: number; end: number } | undefined {
  const start = valueStart + 2;
  const end = start + (bytes[valueStart + 1] as number);
  if (end + 2 > valueEnd || end - start > 0x7f || bytes[valueStart] !== KEY_TAG || bytes[end] !== VALUE_TAG)
    return undefined;
  const length = bytes[end + 1] as number;
  return length <= 0x7f && end + 2 + length === valueEnd ? { start, end } : undefined;
}

/** Where the key of an attribute lies; empty where it has none. Should it be repeated, the last one counts. */
function findKey(attribute: WireWalker): { start: number; end: number } {
  const walker = createWireWalker(attribute.bytes, attribute.valueStart, attribute.valueEnd);
  const range = { start: attribute.valueEnd, end: attribute.valueEnd };
  while (nextField(walker)) {
    if (walker.fieldNumber !== KEY || walker.wireType !== WIRE_BYTES) continue;
    range.start = walker.valueStart;
    range.end = walker.valueEnd;
  }
  return range;
}

function readValueBytes(attribute: WireWalker): Uint8Array {
  return collectMessage(attribute.bytes, attribute.valueStart, attribute.valueEnd, VALUE);
}
