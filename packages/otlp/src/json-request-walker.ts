import { toPlain } from './attributes.ts';
import { normaliseJson } from './json-codec.ts';
import { createJsonScanner, eachElement, eachMember, fail, type JsonScanner, peek, skipValue } from './json-scanner.ts';
import { parseJsonExact } from './json-text.ts';
import { ITEMS_PER_REQUEST_MAX } from './limits.ts';
import { addRejection, createRejections, type OtlpProblem, type Rejections } from './problem.ts';
import { LOGS_LAYOUT, type RequestLayout, TRACES_LAYOUT } from './request-layout.ts';
import type { GroupSlice, LogSlice, SlicedLogs, SlicedTraces, SpanSlice } from './slice.ts';
import type { LogRecord, Span } from './span.ts';
import { describeStrayMember } from './stray-member.ts';

const NOTHING = new Uint8Array(0);
const NULL = 0x6e;

interface ItemWalk<Item> {
  readonly scanner: JsonScanner;
  readonly layout: RequestLayout;
  readonly accept: (bytes: Uint8Array, item: Item, resource: GroupSlice, scope: GroupSlice) => void;
  readonly rejected: Rejections;
  position: number;
}

/** Where the parts of a group lie; a head may follow the members it belongs to. */
interface GroupRanges {
  head: Range | undefined;
  schemaUrl: string;
  readonly members: number[];
}

type Range = readonly [start: number, end: number];

interface Group {
  readonly slice: GroupSlice;
  readonly problem: OtlpProblem | undefined;
}

/**
 * Cuts an OTLP/JSON traces request into its spans; each slice is the text of one span exactly as received. Slices share
 * memory with `bytes`. A span whose values are wrong is rejected alone; text that is not JSON is a problem.
 */
export function walkTracesJson(bytes: Uint8Array): SlicedTraces {
  const spans: SpanSlice[] = [];
  const rejected = createRejections();
  const accept = (slice: Uint8Array, span: Span, resource: GroupSlice, scope: GroupSlice) =>
    spans.push(createSpanSlice(slice, span, resource, scope));
  const scanner = createJsonScanner(bytes);
  walkRequest<Span>({ scanner, layout: TRACES_LAYOUT, accept, rejected, position: 0 });
  return scanner.problem === undefined ? { ok: true, spans, rejected } : { ok: false, problem: scanner.problem };
}

/** Cuts an OTLP/JSON logs request into its records, as `walkTracesJson` does with spans. */
export function walkLogsJson(bytes: Uint8Array): SlicedLogs {
  const records: LogSlice[] = [];
  const rejected = createRejections();
  const accept = (slice: Uint8Array, record: LogRecord, resource: GroupSlice, scope: GroupSlice) =>
    records.push(createLogSlice(slice, record, resource, scope));
  const scanner = createJsonScanner(bytes);
  walkRequest<LogRecord>({ scanner, layout: LOGS_LAYOUT, accept, rejected, position: 0 });
  return scanner.problem === undefined ? { ok: true, records, rejected } : { ok: false, problem: scanner.problem };
}

function createSpanSlice(bytes: Uint8Array, span: Span, resource: GroupSlice, scope: GroupSlice): SpanSlice {
  const attributes = span.attributes ?? [];
  return {
    format: 'json',
    bytes,
    resource,
    scope,
    facts: {
      traceId: span.traceId,
      spanId: span.spanId,
      parentSpanId: span.parentSpanId ?? '',
      name: span.name,
      kind: span.kind ?? 0,
      startTimeUnixNano: BigInt(span.startTimeUnixNano),
      endTimeUnixNano: BigInt(span.endTimeUnixNano),
      statusCode: span.status?.code ?? 0,
    },
    attribute: (key) => {
      const found = attributes.findLast((attribute) => attribute.key === key);
      return found === undefined ? undefined : toPlain(found.value);
    },
    attributesPresent: (keys) => {
      const present = new Set(attributes.map(({ key }) => key));
      return new Set(keys.filter((key) => present.has(key)));
    },
  };
}

function createLogSlice(bytes: Uint8Array, record: LogRecord, resource: GroupSlice, scope: GroupSlice): LogSlice {
  const observed = record.observedTimeUnixNano ?? '0';
  const time = record.timeUnixNano ?? '0';
  return {
    format: 'json',
    bytes,
    resource,
    scope,
    facts: {
      traceId: record.traceId ?? '',
      spanId: record.spanId ?? '',
      timeUnixNano: BigInt(time === '0' ? observed : time),
      eventName: record.eventName ?? '',
    },
  };
}

function walkRequest<Item>(walk: ItemWalk<Item>): boolean {
  const { scanner, layout } = walk;
  const isWalked = eachMember(scanner, 'the request', (key) => {
    if (key !== layout.groups) return checkUnknown(scanner, key);
    return eachEntry(scanner, key, () => walkResourceGroup(walk));
  });
  return isWalked && (peek(scanner) === -1 || fail(scanner, 'bad-json', 'something follows the JSON text'));
}

function walkResourceGroup<Item>(walk: ItemWalk<Item>): boolean {
  const { scanner, layout } = walk;
  const ranges = findGroup(scanner, layout.groups, 'resource', layout.scopes);
  if (ranges === undefined) return false;
  const resource = readGroup(scanner, 'Resource', ranges);
  const end = scanner.position;
  for (const start of ranges.members) {
    scanner.position = start;
    if (resource === undefined || !walkScopeGroup(walk, resource)) return false;
  }
  scanner.position = end;
  return resource !== undefined;
}

function walkScopeGroup<Item>(walk: ItemWalk<Item>, resource: Group): boolean {
  const { scanner, layout } = walk;
  const ranges = findGroup(scanner, layout.scopes, 'scope', layout.items);
  if (ranges === undefined) return false;
  const scope = readGroup(scanner, 'InstrumentationScope', ranges);
  if (scope === undefined) return false;
  const end = scanner.position;
  for (const start of ranges.members) {
    scanner.position = start;
    if (!walkItem(walk, resource, scope)) return false;
  }
  scanner.position = end;
  return true;
}

function walkItem<Item>(walk: ItemWalk<Item>, resource: Group, scope: Group): boolean {
  const { scanner, layout } = walk;
  const position = walk.position++;
  if (position >= ITEMS_PER_REQUEST_MAX) {
    return fail(scanner, 'too-many-items', `the request holds more than ${ITEMS_PER_REQUEST_MAX} items`);
  }
  const start = scanner.position;
  if (!skipValue(scanner)) return false;
  const parsed = parseSlice(scanner, [start, scanner.position]);
  if (parsed === undefined) return false;
  const item = normaliseJson<Item>(layout.message, parsed.value, start);
  const problem = resource.problem ?? scope.problem ?? (item.ok ? undefined : item.problem);
  if (problem !== undefined) addRejection(walk.rejected, position, problem);
  else if (item.ok)
    walk.accept(scanner.bytes.subarray(start, scanner.position), item.value, resource.slice, scope.slice);
  return true;
}

/** Finds the parts of the group the scanner stands on and steps over it. */
function findGroup(scanner: JsonScanner, label: string, head: string, members: string): GroupRanges | undefined {
  const ranges: GroupRanges = { head: undefined, schemaUrl: '', members: [] };
  const isRead = eachMember(scanner, `an element of ${label}`, (key) => {
    if (key === members) {
      return eachEntry(scanner, members, () => {
        peek(scanner);
        ranges.members.push(scanner.position);
        return skipValue(scanner);
      });
    }
    const isNull = peek(scanner) === NULL;
    const start = scanner.position;
    if (!checkUnknown(scanner, key)) return false;
    if (key === head && !isNull) ranges.head = [start, scanner.position];
    if (key === 'schemaUrl' && !isNull)
      ranges.schemaUrl = String(parseSlice(scanner, [start, scanner.position])?.value);
    return true;
  });
  return isRead ? ranges : undefined;
}

function readGroup(scanner: JsonScanner, name: string, { head, schemaUrl }: GroupRanges): Group | undefined {
  if (head === undefined) return { slice: { bytes: NOTHING, schemaUrl }, problem: undefined };
  const parsed = parseSlice(scanner, head);
  if (parsed === undefined) return undefined;
  const read = normaliseJson(name, parsed.value, head[0]);
  const problem = read.ok ? undefined : { ...read.problem, message: `its ${name}: ${read.problem.message}` };
  return { slice: { bytes: scanner.bytes.subarray(head[0], head[1]), schemaUrl }, problem };
}

/** As `eachElement`, where null stands for an empty array as in all of proto3 JSON. */
function eachEntry(scanner: JsonScanner, label: string, visit: () => boolean): boolean {
  return peek(scanner) === NULL ? checkValue(scanner) : eachElement(scanner, label, visit);
}

/** Steps over a member that holds no items, unless items are in it that would be lost without a word. */
function checkUnknown(scanner: JsonScanner, key: string): boolean {
  const problem = peek(scanner) === NULL ? undefined : describeStrayMember(key);
  return problem === undefined ? checkValue(scanner) : fail(scanner, 'bad-shape', problem);
}

/** Steps over a value that is not kept, making sure that it is JSON. */
function checkValue(scanner: JsonScanner): boolean {
  peek(scanner);
  const start = scanner.position;
  return skipValue(scanner) && parseSlice(scanner, [start, scanner.position]) !== undefined;
}

function parseSlice(scanner: JsonScanner, [start, end]: Range): { value: unknown } | undefined {
  const parsed = parseJsonExact(scanner.bytes.toString('utf8', start, end));
  if (parsed.ok) return parsed;
  fail(scanner, 'bad-json', `not JSON: ${parsed.reason}`, start);
  return undefined;
}
