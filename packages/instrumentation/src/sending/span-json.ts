import type { HrTime, SpanContext } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import type { JsonBytes } from './json-bytes.ts';

/** Keys are few and come with every span; a program that makes up its keys fills no memory with them. */
const KEYS_MAX = 2_048;
const NANOSECONDS = 1_000_000_000;
const HAS_IS_REMOTE = 0x100;
const IS_REMOTE = 0x200;

const keyTexts = new Map<string, string>();

function keyText(key: string): string {
  const known = keyTexts.get(key);
  if (known !== undefined) return known;
  const text = `{"key":${JSON.stringify(key)},"value":`;
  if (keyTexts.size < KEYS_MAX) keyTexts.set(key, text);
  return text;
}

function addList<Item>(out: JsonBytes, items: readonly Item[], addItem: (item: Item) => void): void {
  let before = '[';
  for (const item of items) {
    out.add(before);
    addItem(item);
    before = ',';
  }
  out.add(before === '[' ? '[]' : ']');
}

function addValue(out: JsonBytes, value: unknown): void {
  if (typeof value === 'string') {
    out.add('{"stringValue":');
    out.addText(value);
    out.add('}');
  } else if (typeof value === 'number') {
    out.add(Number.isInteger(value) ? `{"intValue":${value}}` : `{"doubleValue":${JSON.stringify(value)}}`);
  } else if (typeof value === 'boolean') out.add(`{"boolValue":${value}}`);
  else if (value instanceof Uint8Array) out.add(`{"bytesValue":"${Buffer.from(value).toString('base64')}"}`);
  else if (Array.isArray(value)) {
    out.add('{"arrayValue":{"values":');
    addList(out, Array.from(value as unknown[]), (item) => addValue(out, item));
    out.add('}}');
  } else if (typeof value === 'object' && value !== null) {
    out.add('{"kvlistValue":{"values":');
    addAttributes(out, value);
    out.add('}}');
  } else out.add('{}');
}

/** A list of attributes in OTLP/JSON. */
export function addAttributes(out: JsonBytes, attributes: object): void {
  addList(out, Object.keys(attributes), (key) => {
    out.add(keyText(key));
    addValue(out, (attributes as Readonly<Record<string, unknown>>)[key]);
    out.add('}');
  });
}

/** A member with a comma behind it; nothing where there is no value, as `JSON.stringify` has it. */
export function memberJson(name: string, value: string | undefined): string {
  return value === undefined ? '' : `"${name}":${JSON.stringify(value)},`;
}

function timeJson([seconds, nanoseconds]: HrTime): string {
  const isUsual = Number.isInteger(seconds) && Number.isInteger(nanoseconds) && seconds > 0 && nanoseconds >= 0;
  if (isUsual && nanoseconds < NANOSECONDS) return `"${seconds}${String(nanoseconds).padStart(9, '0')}"`;
  return `"${BigInt(Math.trunc(seconds)) * BigInt(NANOSECONDS) + BigInt(Math.trunc(nanoseconds))}"`;
}

function flagsOf(traceFlags: number, isRemote: boolean | undefined): number {
  return (traceFlags & 0xff) | HAS_IS_REMOTE | (isRemote === true ? IS_REMOTE : 0);
}

function stateJson({ traceState }: SpanContext): string {
  return memberJson('traceState', traceState?.serialize());
}

function addEvent(out: JsonBytes, event: ReadableSpan['events'][number]): void {
  out.add('{"attributes":');
  addAttributes(out, event.attributes ?? {});
  const dropped = event.droppedAttributesCount || 0;
  out.add(
    `,${memberJson('name', event.name)}"timeUnixNano":${timeJson(event.time)},"droppedAttributesCount":${dropped}}`,
  );
}

function addLink(out: JsonBytes, { attributes, context, droppedAttributesCount }: ReadableSpan['links'][number]): void {
  out.add('{"attributes":');
  addAttributes(out, attributes ?? {});
  const ids = `${memberJson('spanId', context.spanId)}${memberJson('traceId', context.traceId)}${stateJson(context)}`;
  const flags = flagsOf(context.traceFlags, context.isRemote);
  out.add(`,${ids}"droppedAttributesCount":${droppedAttributesCount || 0},"flags":${flags}}`);
}

function headJson(span: ReadableSpan, context: SpanContext): string {
  const { spanId: parent } = span.parentSpanContext ?? {};
  const ids = `${memberJson('traceId', context.traceId)}${memberJson('spanId', context.spanId)}${memberJson('parentSpanId', parent || undefined)}`;
  // As the serializer has it: what is no span of an SDK may lack its kind.
  const kind = ((span.kind as number | undefined) ?? -1) + 1;
  return (
    `{${ids}${stateJson(context)}${memberJson('name', span.name)}"kind":${kind},` +
    `"startTimeUnixNano":${timeJson(span.startTime)},"endTimeUnixNano":${timeJson(span.endTime)},"attributes":`
  );
}

/** Adds one span in OTLP/JSON, letter by letter as OpenTelemetry's serializer writes it. */
export function addSpan(out: JsonBytes, span: ReadableSpan): void {
  const context = span.spanContext();
  const { code, message } = span.status;
  out.add(headJson(span, context));
  addAttributes(out, span.attributes);
  out.add(`,"droppedAttributesCount":${span.droppedAttributesCount},"events":`);
  addList(out, span.events, (event) => addEvent(out, event));
  const status = message === undefined ? '' : `,"message":${JSON.stringify(message)}`;
  out.add(`,"droppedEventsCount":${span.droppedEventsCount},"status":{"code":${code}${status}},"links":`);
  addList(out, span.links, (link) => addLink(out, link));
  const flags = flagsOf(context.traceFlags, span.parentSpanContext?.isRemote);
  out.add(`,"droppedLinksCount":${span.droppedLinksCount},"flags":${flags}}`);
  out.endPart();
}
