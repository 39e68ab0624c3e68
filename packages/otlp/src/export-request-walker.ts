import type { PlainValue } from './attributes.ts';
import type { ExportSignal } from './export-response.ts';
import { ITEMS_PER_REQUEST_MAX } from './limits.ts';
import { checkShape, METRIC_SHAPE, type MessageShape, RESOURCE_SHAPE, SCOPE_SHAPE } from './message-shape.ts';
import { addRejection, createRejections, firstRejection, type OtlpProblem, type Rejections } from './problem.ts';
import type { GroupSlice, LogFacts, LogSlice, SlicedLogs, SlicedTraces, SpanFacts, SpanSlice } from './slice.ts';
import { attributesPresent, readAttribute } from './span-attributes.ts';
import { type FactsResult, readLogFacts, readSpanFacts } from './span-facts.ts';
import { findStrayItem } from './stray-item.ts';
import {
  collectUnknown,
  GROUP_HEAD,
  GROUP_SCHEMA_URL,
  readAround,
  unknownFields,
  withRequest,
} from './unknown-fields.ts';
import { createWireWalker, nextField, WIRE_BYTES } from './wire-walker.ts';

/** What traces and logs requests have in common: resource groups of scope groups of items, all with equal numbers. */
const GROUPS = 1;
const GROUP_MEMBERS = 2;
/** `instrumentation_library_spans` and `instrumentation_library_logs`: where scope groups were before OTLP 0.15, in the same form. */
const FORMER_MEMBERS = 1000;
const SCOPE_GROUP_FIELDS = [GROUP_HEAD, GROUP_MEMBERS, GROUP_SCHEMA_URL];
const RESOURCE_GROUP_FIELDS = [...SCOPE_GROUP_FIELDS, FORMER_MEMBERS];

interface Group {
  readonly slice: GroupSlice;
  readonly problem: OtlpProblem | undefined;
}

interface ItemWalk<Facts> {
  readonly signal: ExportSignal;
  readonly bytes: Uint8Array;
  /** The same memory, as what reads ids. */
  readonly buffer: Buffer;
  readonly readFacts: (bytes: Buffer, start: number, end: number) => FactsResult<Facts>;
  readonly accept: (bytes: Uint8Array, resource: GroupSlice, scope: GroupSlice, facts: Facts) => void;
  readonly rejected: Rejections;
  /** What the place of the items was called before OTLP 0.15. */
  readonly formerName: string;
  position: number;
  /** Unknown fields of the request, until an item is accepted. */
  unknown: Uint8Array | undefined;
}

/**
 * Cuts an ExportTraceServiceRequest (equally a TracesData) into its spans without decoding them. Slices share memory
 * with `bytes`, which must not change afterwards. A bad span is rejected alone; only a request whose own framing is
 * broken is a problem.
 */
export function walkTracesProtobuf(bytes: Uint8Array): SlicedTraces {
  const spans: SpanSlice[] = [];
  const rejected = createRejections();
  const problem = walkRequest<SpanFacts>({
    signal: 'traces',
    bytes,
    buffer: toBuffer(bytes),
    readFacts: readSpanFacts,
    accept: (span, resource, scope, facts) => spans.push(new ProtobufSpan(span, resource, scope, facts)),
    rejected,
    formerName: 'instrumentation_library_spans',
    position: 0,
    unknown: collectUnknown(bytes, 0, bytes.length, [GROUPS]),
  });
  return problem === undefined ? { ok: true, spans, rejected } : { ok: false, problem };
}

/** Cuts an ExportLogsServiceRequest (equally a LogsData) into its records, as `walkTracesProtobuf` does with spans. */
export function walkLogsProtobuf(bytes: Uint8Array): SlicedLogs {
  const records: LogSlice[] = [];
  const rejected = createRejections();
  const problem = walkRequest<LogFacts>({
    signal: 'logs',
    bytes,
    buffer: toBuffer(bytes),
    readFacts: readLogFacts,
    accept: (record, resource, scope, facts) =>
      records.push({ format: 'protobuf', bytes: record, resource, scope, facts }),
    rejected,
    formerName: 'instrumentation_library_logs',
    position: 0,
    unknown: collectUnknown(bytes, 0, bytes.length, [GROUPS]),
  });
  return problem === undefined ? { ok: true, records, rejected } : { ok: false, problem };
}

/**
 * What is wrong with an ExportMetricsServiceRequest, which is sent on as it came: what would be refused whole by whoever it is sent on
 * to, and items of another signal, which would be acknowledged and then kept nowhere.
 */
export function checkMetricsProtobuf(bytes: Uint8Array): OtlpProblem | undefined {
  const rejected = createRejections();
  const problem = walkRequest<undefined>({
    signal: 'metrics',
    bytes,
    buffer: toBuffer(bytes),
    readFacts: (_, start, end) => {
      const wrong = findStrayItem('metrics', bytes, start, end) ?? checkShape(METRIC_SHAPE, bytes, start, end);
      return wrong === undefined ? { ok: true, facts: undefined } : { ok: false, problem: wrong };
    },
    accept: () => undefined,
    rejected,
    formerName: 'instrumentation_library_metrics',
    position: 0,
    unknown: undefined,
  });
  return problem ?? firstRejection(rejected, 'metric');
}

/** One object a span: closures for its attributes would be two more. */
class ProtobufSpan implements SpanSlice {
  readonly format = 'protobuf';
  readonly bytes: Uint8Array;
  readonly resource: GroupSlice;
  readonly scope: GroupSlice;
  readonly facts: SpanFacts;

  constructor(bytes: Uint8Array, resource: GroupSlice, scope: GroupSlice, facts: SpanFacts) {
    this.bytes = bytes;
    this.resource = resource;
    this.scope = scope;
    this.facts = facts;
  }

  attribute(key: string): PlainValue | undefined {
    return readAttribute(this.bytes, key);
  }

  attributesPresent(keys: readonly string[]): ReadonlySet<string> {
    return attributesPresent(this.bytes, keys);
  }
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

function walkRequest<Facts>(walk: ItemWalk<Facts>): OtlpProblem | undefined {
  const request = createWireWalker(walk.bytes);
  while (nextField(request)) {
    if (request.fieldNumber !== GROUPS || request.wireType !== WIRE_BYTES) continue;
    const problem = walkResourceGroup(walk, request.valueStart, request.valueEnd);
    if (problem !== undefined) return problem;
  }
  return request.problem;
}

function walkResourceGroup<Facts>(walk: ItemWalk<Facts>, start: number, end: number): OtlpProblem | undefined {
  const group = createWireWalker(walk.bytes, start, end);
  let resource: Group | undefined;
  while (nextField(group)) {
    if (group.wireType !== WIRE_BYTES) continue;
    if (group.fieldNumber === FORMER_MEMBERS) {
      const problem = rejectFormerGroup(walk, group.valueStart, group.valueEnd);
      if (problem !== undefined) return problem;
    }
    if (group.fieldNumber !== GROUP_MEMBERS) continue;
    resource ??= readGroup(walk.bytes, start, end, RESOURCE_SHAPE, RESOURCE_GROUP_FIELDS);
    const problem = walkScopeGroup(walk, resource, group.valueStart, group.valueEnd);
    if (problem !== undefined) return problem;
  }
  return group.problem;
}

/** Passed over, these would be lost while their sender believes them received. */
function rejectFormerGroup<Facts>(walk: ItemWalk<Facts>, start: number, end: number): OtlpProblem | undefined {
  const group = createWireWalker(walk.bytes, start, end);
  while (nextField(group)) {
    if (group.fieldNumber !== GROUP_MEMBERS || group.wireType !== WIRE_BYTES) continue;
    addRejection(walk.rejected, walk.position++, {
      code: 'bad-shape',
      message: `it is in ${walk.formerName}, which OTLP has replaced since 0.15: send it with a newer exporter`,
      offset: group.fieldStart,
    });
  }
  return group.problem;
}

function walkScopeGroup<Facts>(
  walk: ItemWalk<Facts>,
  resource: Group,
  start: number,
  end: number,
): OtlpProblem | undefined {
  const group = createWireWalker(walk.bytes, start, end);
  let scope: Group | undefined;
  while (nextField(group)) {
    if (group.fieldNumber !== GROUP_MEMBERS || group.wireType !== WIRE_BYTES) continue;
    scope ??= readGroup(walk.bytes, start, end, SCOPE_SHAPE, SCOPE_GROUP_FIELDS);
    if (walk.position >= ITEMS_PER_REQUEST_MAX) {
      const message = `the request holds more than ${ITEMS_PER_REQUEST_MAX} items`;
      return { code: 'too-many-items', message, offset: group.fieldStart };
    }
    walkItem(walk, resource, scope, group.valueStart, group.valueEnd);
  }
  return group.problem;
}

function walkItem<Facts>(walk: ItemWalk<Facts>, resource: Group, scope: Group, start: number, end: number): void {
  const position = walk.position++;
  const groupProblem = resource.problem ?? scope.problem;
  const result: FactsResult<Facts> =
    groupProblem === undefined ? walk.readFacts(walk.buffer, start, end) : { ok: false, problem: groupProblem };
  if (!result.ok) {
    addRejection(walk.rejected, position, findStrayItem(walk.signal, walk.bytes, start, end) ?? result.problem);
    return;
  }
  // In a slice of its own, or what is unknown of the request would be stored with every trace of the resource.
  const around = withRequest(resource.slice, walk.unknown);
  walk.unknown = undefined;
  walk.accept(walk.bytes.subarray(start, end), around, scope.slice, result.facts);
}

/** What is around the members of a group may follow them and may come in pieces, so it is collected before the first member. */
function readGroup(
  bytes: Uint8Array,
  start: number,
  end: number,
  shape: MessageShape,
  fields: readonly number[],
): Group {
  const { head, schemaUrl, unknown } = readAround(bytes, start, end, fields);
  const slice = { bytes: head, schemaUrl, ...(unknown === undefined ? {} : { unknown: unknownFields(unknown) }) };
  return { slice, problem: checkShape(shape, head) };
}
