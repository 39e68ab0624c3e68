import { createJsonScanner, eachElement, eachMember, type JsonScanner, peek, skipValue } from './json-scanner.ts';
import type { SliceFormat } from './slice.ts';
import { createWireWalker, nextField, WIRE_BYTES } from './wire-walker.ts';

/** Attributes, events and links: what was said in a span lies in them. */
const REPEATED_FIELDS: ReadonlySet<number> = new Set([9, 11, 13]);
const REPEATED_MEMBERS: ReadonlySet<string> = new Set(['attributes', 'events', 'links']);

/**
 * The bytes of a span without each attribute, event and link that takes more than so many; the same bytes where none does, or where they
 * are no span. Nothing is decoded, so that a span of any size takes little memory beside itself.
 */
export function outlineSpanBytes(span: Uint8Array, format: SliceFormat, itemBytesMax: number): Uint8Array {
  if (span.length <= itemBytesMax) return span;
  return format === 'json' ? outlineJson(span, itemBytesMax) : outlineProtobuf(span, itemBytesMax);
}

function outlineProtobuf(span: Uint8Array, itemBytesMax: number): Uint8Array {
  const kept: Uint8Array[] = [];
  let keptFrom = 0;
  const walker = createWireWalker(span);
  while (nextField(walker)) {
    const isItem = REPEATED_FIELDS.has(walker.fieldNumber) && walker.wireType === WIRE_BYTES;
    if (!isItem || walker.valueEnd - walker.valueStart <= itemBytesMax) continue;
    kept.push(span.subarray(keptFrom, walker.fieldStart));
    keptFrom = walker.position;
  }
  if (keptFrom === 0 || walker.problem !== undefined) return span;
  return Buffer.concat([...kept, span.subarray(keptFrom)]);
}

function outlineJson(span: Uint8Array, itemBytesMax: number): Uint8Array {
  const scanner = createJsonScanner(span);
  const members: string[] = [];
  const isRead = eachMember(scanner, 'a span', (key) => {
    peek(scanner);
    const start = scanner.position;
    const isList = REPEATED_MEMBERS.has(key) && scanner.bytes[start] === 0x5b;
    const value = isList ? smallItems(scanner, itemBytesMax) : valueText(scanner);
    if (value !== undefined) members.push(`${JSON.stringify(key)}:${value}`);
    return value !== undefined;
  });
  return isRead ? Buffer.from(`{${members.join(',')}}`) : span;
}

function smallItems(scanner: JsonScanner, itemBytesMax: number): string | undefined {
  const items: string[] = [];
  const isRead = eachElement(scanner, 'a list', () => {
    peek(scanner);
    const start = scanner.position;
    if (!skipValue(scanner)) return false;
    if (scanner.position - start <= itemBytesMax) items.push(textAt(scanner, start));
    return true;
  });
  return isRead ? `[${items.join(',')}]` : undefined;
}

function valueText(scanner: JsonScanner): string | undefined {
  const start = scanner.position;
  return skipValue(scanner) ? textAt(scanner, start) : undefined;
}

function textAt({ bytes, position }: JsonScanner, start: number): string {
  return bytes.toString('utf8', start, position);
}
