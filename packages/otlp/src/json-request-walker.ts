import { normaliseJson } from './json-codec.ts';
import { JSON_LOG_RECORDS, type JsonItemReader, jsonSpans } from './json-item.ts';
import {
  createJsonScanner,
  eachElement,
  eachMember,
  fail,
  type JsonScanner,
  peek,
  skipValue,
  stepOver,
  tooDeep,
} from './json-scanner.ts';
import { holdsLongInteger, parseJsonExact } from './json-text.ts';
import { ITEMS_PER_REQUEST_MAX, ITEMS_PER_STEP } from './limits.ts';
import { isPlainMessage } from './plain-shape.ts';
import { addRejection, createRejections, firstRejection, type OtlpProblem, type Rejections } from './problem.ts';
import { LOGS_LAYOUT, METRICS_LAYOUT, type RequestLayout, TRACES_LAYOUT } from './request-layout.ts';
import type { GroupSlice, LogSlice, SlicedLogs, SlicedTraces, SpanSlice } from './slice.ts';
import type { Span } from './span.ts';
import { describeStrayMember } from './stray-member.ts';
import { joinMembers, noteMember, unknownFields, withRequest } from './unknown-fields.ts';

const NO_KEYS: ReadonlySet<string> = new Set();
const NOTHING = new Uint8Array(0);
const NULL = 0x6e;
const TOO_DEEP = -1;
const PLAIN = { ok: true } as const;

interface ItemWalk<Slice> {
  readonly scanner: JsonScanner;
  readonly layout: RequestLayout;
  readonly reader: JsonItemReader<Slice>;
  readonly slices: Slice[];
  readonly rejected: Rejections;
  /** Every scope group that has items with the resource group around it, in their order; read when both are known whole. */
  readonly found: { readonly resource: FoundGroup; readonly scope: FoundGroup }[];
  /** Members of the request that OTLP does not know. */
  unknown: number[] | undefined;
  /** The same as one object, until an item is accepted. */
  request: Uint8Array | undefined;
  items: number;
}

/** One span, read, and the groups it is in. */
export interface PlacedSpan {
  readonly span: Span;
  readonly resource: GroupSlice;
  readonly scope: GroupSlice;
}

/** The spans of a request, read; single bad ones are rejected, a malformed request is a problem. */
export type ReadSpans =
  | { readonly ok: true; readonly spans: readonly PlacedSpan[]; readonly rejected: Rejections }
  | { readonly ok: false; readonly problem: OtlpProblem };

const PLACED_SPANS: JsonItemReader<PlacedSpan> = {
  message: 'Span',
  read: (value, { resource, scope }) => ({ span: value as Span, resource, scope }),
};

/** Work that ends with a result, parted where others may have their turn. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** Where the parts of a group lie; a head may follow the members it belongs to. */
interface FoundGroup {
  head: FoundHead | undefined;
  schemaUrl: string;
  /** Start and end of each item in turn, TOO_DEEP for the end of one that is not to be read; of a scope group only. */
  items: number[] | undefined;
  /** Members that OTLP does not know. */
  unknown: number[] | undefined;
}

/** What has members that OTLP does not know. */
interface UnknownOwner {
  unknown: number[] | undefined;
}

/** A resource or scope, read once: what it says is not kept. */
interface FoundHead {
  readonly start: number;
  readonly end: number;
  readonly problem: OtlpProblem | undefined;
}

/** The messages of heads, by the members that they are. */
const HEADS = { resource: 'Resource', scope: 'InstrumentationScope' } as const;

interface Group {
  readonly slice: GroupSlice;
  readonly problem: OtlpProblem | undefined;
}

/**
 * Cuts an OTLP/JSON traces request into its spans; each slice is the text of one span exactly as received. Slices share
 * memory with `bytes`. A span whose values are wrong is rejected alone; text that is not JSON is a problem. Attributes of `keysAtHand` are
 * kept for whoever asks the slices for them; for others a span is parsed again.
 */
export function walkTracesJson(bytes: Uint8Array, keysAtHand: ReadonlySet<string> = NO_KEYS): SlicedTraces {
  return finish(walkTracesJsonInSteps(bytes, keysAtHand));
}

/** The same in steps, between which others may have their turn: a request may have hundreds of thousands of items. */
export function* walkTracesJsonInSteps(bytes: Uint8Array, keysAtHand: ReadonlySet<string>): Steps<SlicedTraces> {
  const spans: SpanSlice[] = [];
  const rejected = createRejections();
  const problem = yield* walkRequest(bytes, TRACES_LAYOUT, jsonSpans(keysAtHand), spans, rejected);
  return problem === undefined ? { ok: true, spans, rejected } : { ok: false, problem };
}

/** Reads the spans of an OTLP/JSON traces request one by one, each with the groups it is in, as `walkTracesJson` finds them. */
export function readSpansJson(bytes: Uint8Array): ReadSpans {
  const spans: PlacedSpan[] = [];
  const rejected = createRejections();
  const problem = finish(walkRequest(bytes, TRACES_LAYOUT, PLACED_SPANS, spans, rejected));
  return problem === undefined ? { ok: true, spans, rejected } : { ok: false, problem };
}

/** Cuts an OTLP/JSON logs request into its records, as `walkTracesJson` does with spans. */
export function walkLogsJson(bytes: Uint8Array): SlicedLogs {
  return finish(walkLogsJsonInSteps(bytes));
}

/** The same in steps, likewise. */
export function* walkLogsJsonInSteps(bytes: Uint8Array): Steps<SlicedLogs> {
  const records: LogSlice[] = [];
  const rejected = createRejections();
  const problem = yield* walkRequest(bytes, LOGS_LAYOUT, JSON_LOG_RECORDS, records, rejected);
  return problem === undefined ? { ok: true, records, rejected } : { ok: false, problem };
}

/** Looked at, and then sent on as it came. */
const METRICS: JsonItemReader<true> = {
  message: 'Metric',
  readPlain: (value) => isPlainMessage('Metric', value) || undefined,
  read: () => true,
};

/** What is wrong with an OTLP/JSON metrics request, as `checkMetricsProtobuf` finds it; in steps, likewise. */
export function* checkMetricsJsonInSteps(bytes: Uint8Array): Steps<OtlpProblem | undefined> {
  const rejected = createRejections();
  const problem = yield* walkRequest(bytes, METRICS_LAYOUT, METRICS, [], rejected);
  return problem ?? firstRejection(rejected, 'metric');
}

function finish<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Finds where every item lies in one pass over the bytes, then reads them. */
function* walkRequest<Slice>(
  bytes: Uint8Array,
  layout: RequestLayout,
  reader: JsonItemReader<Slice>,
  slices: Slice[],
  rejected: Rejections,
): Steps<OtlpProblem | undefined> {
  const scanner = createJsonScanner(bytes);
  const walk: ItemWalk<Slice> = {
    scanner,
    layout,
    reader,
    slices,
    rejected,
    found: [],
    unknown: undefined,
    request: undefined,
    items: 0,
  };
  const isFound = eachMember(scanner, 'the request', (key, start) => {
    if (key !== layout.groups) return noteUnknown(scanner, key, start, walk);
    return eachEntry(scanner, key, () => findResourceGroup(walk));
  });
  if (isFound && peek(scanner) !== -1) fail(scanner, 'bad-json', 'something follows the JSON text');
  if (scanner.problem === undefined) yield* readItems(walk);
  return scanner.problem;
}

function findResourceGroup<Slice>(walk: ItemWalk<Slice>): boolean {
  const { groups, scopes } = walk.layout;
  const resource = emptyGroup();
  return findGroup(walk.scanner, groups, 'resource', resource, scopes, () => {
    return findScopeGroup(walk, resource);
  });
}

function findScopeGroup<Slice>(walk: ItemWalk<Slice>, resource: FoundGroup): boolean {
  const { scanner, layout } = walk;
  const scope = emptyGroup();
  return findGroup(scanner, layout.scopes, 'scope', scope, layout.items, () => {
    if (walk.items >= ITEMS_PER_REQUEST_MAX)
      return fail(scanner, 'too-many-items', `the request holds more than ${ITEMS_PER_REQUEST_MAX} items`);
    walk.items += 1;
    peek(scanner);
    const start = scanner.position;
    const stepped = stepOver(scanner);
    if (stepped === 'broken') return false;
    const end = stepped === 'too-deep' ? TOO_DEEP : scanner.position;
    if (scope.items !== undefined) scope.items.push(start, end);
    else {
      // A group without items leaves nothing: it takes two bytes to send, and a hundred times that to remember.
      scope.items = [start, end];
      walk.found.push({ resource, scope });
    }
    return true;
  });
}

function emptyGroup(): FoundGroup {
  return { head: undefined, schemaUrl: '', items: undefined, unknown: undefined };
}

/** Finds the parts of the group the scanner stands on and steps over it. */
function findGroup(
  scanner: JsonScanner,
  label: string,
  head: keyof typeof HEADS,
  group: FoundGroup,
  members: string,
  visitMember: () => boolean,
): boolean {
  return eachMember(scanner, `an element of ${label}`, (key, keyStart) => {
    if (key === members) return eachEntry(scanner, members, visitMember);
    if (key !== head && key !== 'schemaUrl') return noteUnknown(scanner, key, keyStart, group);
    const isNull = peek(scanner) === NULL;
    const start = scanner.position;
    const parsed = parseValue(scanner);
    if (parsed === undefined) return false;
    if (isNull) return true;
    if (key === head) group.head = readHead(HEADS[head], parsed.value, start, scanner.position);
    else group.schemaUrl = String(parsed.value);
    return true;
  });
}

/** Reads what was found; the first text that is no JSON ends it. */
function* readItems<Slice>(walk: ItemWalk<Slice>): Steps<void> {
  const { scanner } = walk;
  const resources = new Map<FoundGroup, Group>();
  walk.request = joinMembers(scanner.bytes, walk.unknown);
  let position = 0;
  for (const { resource, scope } of walk.found) {
    const around = resources.get(resource) ?? readGroup(scanner, resource);
    resources.set(resource, around);
    const inside = readGroup(scanner, scope);
    const items = scope.items ?? [];
    for (let at = 0; at < items.length; at += 2) {
      const [start = 0, end = 0] = [items[at], items[at + 1]];
      if (end === TOO_DEEP) addRejection(walk.rejected, position++, tooDeep(start));
      else if (!readItem(walk, position++, start, end, around, inside)) return;
      if (position % ITEMS_PER_STEP === 0) yield;
    }
  }
}

function readItem<Slice>(
  walk: ItemWalk<Slice>,
  position: number,
  start: number,
  end: number,
  resource: Group,
  scope: Group,
): boolean {
  const { scanner, reader } = walk;
  const groupProblem = resource.problem ?? scope.problem;
  const place = {
    bytes: scanner.bytes.subarray(start, end),
    resource: withRequest(resource.slice, walk.request),
    scope: scope.slice,
  };
  const text = place.bytes.toString('utf8');
  let parsed: { readonly value: unknown } | undefined;
  if (groupProblem === undefined && reader.readPlain !== undefined) {
    parsed = parsePlain(text);
    const plain = reader.readPlain(parsed?.value, place);
    if (plain !== undefined) return accept(walk, plain);
  }
  if (parsed === undefined || holdsLongInteger(text)) parsed = parseText(scanner, text, start);
  if (parsed === undefined) return false;
  const item = normaliseJson<object>(reader.message, parsed.value, start);
  const problem = groupProblem ?? (item.ok ? undefined : item.problem);
  if (problem !== undefined) addRejection(walk.rejected, position, problem);
  else if (item.ok) accept(walk, reader.read(item.value, place));
  return true;
}

/** Only the first that is accepted has what is unknown of the request. */
function accept<Slice>(walk: ItemWalk<Slice>, slice: Slice): true {
  walk.slices.push(slice);
  walk.request = undefined;
  return true;
}

function readHead(name: string, value: unknown, start: number, end: number): FoundHead {
  const read = isPlainMessage(name, value) ? PLAIN : normaliseJson(name, value, start);
  const problem = read.ok ? undefined : { ...read.problem, message: `its ${name}: ${read.problem.message}` };
  return { start, end, problem };
}

function readGroup(scanner: JsonScanner, { head, schemaUrl, unknown }: FoundGroup): Group {
  const members = joinMembers(scanner.bytes, unknown);
  const facts = { schemaUrl, ...(members === undefined ? {} : { unknown: unknownFields(members) }) };
  if (head === undefined) return { slice: { bytes: NOTHING, ...facts }, problem: undefined };
  return { slice: { bytes: scanner.bytes.subarray(head.start, head.end), ...facts }, problem: head.problem };
}

/** As `eachElement`, where null stands for an empty array as in all of proto3 JSON. */
function eachEntry(scanner: JsonScanner, label: string, visit: () => boolean): boolean {
  return peek(scanner) === NULL ? checkValue(scanner) : eachElement(scanner, label, visit);
}

/** Notes a member that OTLP does not know, unless items are in it that would be lost without a word. */
function noteUnknown(scanner: JsonScanner, key: string, start: number, owner: UnknownOwner): boolean {
  const problem = peek(scanner) === NULL ? undefined : describeStrayMember(key);
  if (problem !== undefined) return fail(scanner, 'bad-shape', problem);
  if (!checkValue(scanner)) return false;
  owner.unknown = noteMember(scanner.bytes, owner.unknown, start, scanner.position);
  return true;
}

/** Steps over a value that holds no items, making sure that it is JSON. */
function checkValue(scanner: JsonScanner): boolean {
  return parseValue(scanner) !== undefined;
}

function parseValue(scanner: JsonScanner): { readonly value: unknown } | undefined {
  peek(scanner);
  const start = scanner.position;
  if (!skipValue(scanner)) return undefined;
  return parseText(scanner, scanner.bytes.toString('utf8', start, scanner.position), start);
}

function parseText(scanner: JsonScanner, text: string, start: number): { value: unknown } | undefined {
  const parsed = parseJsonExact(text);
  if (parsed.ok) return parsed;
  fail(scanner, 'bad-json', `not JSON: ${parsed.reason}`, start);
  return undefined;
}

/** Integers beyond 2^53 are rounded: what reads the value tells them. Undefined where the text is no JSON, for others to say. */
function parsePlain(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
