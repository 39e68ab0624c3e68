import {
  attributesPresent,
  decodeLogRecord,
  decodeLogsJson,
  decodeSpan,
  decodeTracesJson,
  dropAttributes,
  type GroupSlice,
  readAttribute,
  type SlicedLogs,
  type SlicedTraces,
  walkLogsJson,
  walkLogsProtobuf,
  walkTracesJson,
  walkTracesProtobuf,
} from '@reenact/otlp';

/** Looks at one input; throws where something that must hold does not. */
export type WalkerCheck = (bytes: Buffer) => void;

const PADDING = 32;

/** How many times larger than the request what is made of it may be: ids and names are copied, everything else is a view. */
const GROWTH_MAX = 4;

interface Slice {
  readonly bytes: Uint8Array;
  readonly resource: GroupSlice;
  readonly scope: GroupSlice;
  readonly facts: { readonly traceId: string; readonly spanId: string };
}

type Walked =
  | {
      readonly ok: true;
      readonly slices: readonly Slice[];
      readonly rejected: number;
      readonly problems: readonly string[];
    }
  | { readonly ok: false; readonly problem: string; readonly offset: number };

function ofTraces(walked: SlicedTraces): Walked {
  if (!walked.ok) return { ok: false, problem: walked.problem.message, offset: walked.problem.offset };
  const { count, problems } = walked.rejected;
  return { ok: true, slices: walked.spans, rejected: count, problems: problems.map(({ message }) => message) };
}

function ofLogs(walked: SlicedLogs): Walked {
  if (!walked.ok) return { ok: false, problem: walked.problem.message, offset: walked.problem.offset };
  const { count, problems } = walked.rejected;
  return { ok: true, slices: walked.records, rejected: count, problems: problems.map(({ message }) => message) };
}

function demand(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}

/** The bytes with others around them, which must make no difference to anybody who reads only these. */
function surrounded(bytes: Buffer, by: number): Uint8Array {
  const larger = Buffer.alloc(bytes.length + 2 * PADDING, by);
  bytes.copy(larger, PADDING);
  return larger.subarray(PADDING, PADDING + bytes.length);
}

function isWithin(part: Uint8Array, whole: Uint8Array): boolean {
  if (part.length === 0 || part.buffer !== whole.buffer) return part.length <= whole.length;
  const start = part.byteOffset - whole.byteOffset;
  return start >= 0 && start + part.length <= whole.length;
}

function describe(walked: Walked, whole: Uint8Array): string {
  if (!walked.ok) return `${walked.problem} ${walked.offset}`;
  const slices = walked.slices.map(({ bytes, facts }) => [
    bytes.byteOffset - whole.byteOffset,
    bytes.length,
    Object.values(facts).map(String),
  ]);
  return JSON.stringify([slices, walked.rejected, walked.problems]);
}

/** What holds of every walk: the same whatever lies around the bytes, inside them, with ids that are ids, in little memory. */
function checkWalk(bytes: Buffer, walk: (bytes: Uint8Array) => Walked): Walked {
  const [zeros, ones] = [surrounded(bytes, 0), surrounded(bytes, 0xff)];
  const walked = walk(zeros);
  const told = describe(walked, zeros);
  demand(told === describe(walk(ones), ones), 'what lies around the bytes was read');
  if (!walked.ok) {
    demand(walked.problem !== '' && walked.offset >= 0 && walked.offset <= bytes.length, 'a problem is nowhere');
    return walked;
  }
  let made = 0;
  for (const slice of walked.slices) {
    const parts = [slice.bytes, slice.resource.bytes, slice.scope.bytes];
    demand(
      parts.every((part) => isWithin(part, zeros)),
      'a slice lies outside the request',
    );
    demand(/^([0-9a-f]{32})?$/.test(slice.facts.traceId), 'a trace id is none');
    demand(/^([0-9a-f]{16})?$/.test(slice.facts.spanId), 'a span id is none');
    made += slice.bytes.length;
  }
  demand(made <= bytes.length * GROWTH_MAX, 'slices repeat the request');
  return walked;
}

const keys = ['http.route', 'reenact.schema', 'text', ''];

/** A protobuf request of spans. */
export const checkTracesProtobuf: WalkerCheck = (bytes) => {
  const walked = checkWalk(bytes, (input) => ofTraces(walkTracesProtobuf(input)));
  for (const slice of walked.ok ? walked.slices : []) {
    const decoded = decodeSpan(slice.bytes);
    demand(decoded.ok, 'an accepted span cannot be decoded');
    if (!decoded.ok) return;
    demand(decoded.value.traceId === slice.facts.traceId, 'protobufjs reads another trace id');
    demand(decoded.value.spanId === slice.facts.spanId, 'protobufjs reads another span id');
    checkAttributes(slice.bytes, new Set((decoded.value.attributes ?? []).map(({ key }) => key)));
  }
};

function checkAttributes(span: Uint8Array, decoded: ReadonlySet<string>): void {
  const present = attributesPresent(span, keys);
  const left = dropAttributes(span, keys);
  demand(left.length <= span.length, 'a span grew where attributes were left out');
  demand(attributesPresent(left, keys).size === 0, 'an attribute that was left out is still there');
  for (const key of keys) {
    demand(present.has(key) === decoded.has(key), `protobufjs finds another set of attributes (${key})`);
    demand(present.has(key) || readAttribute(span, key) === undefined, 'an attribute that is absent has a value');
  }
}

/** A protobuf request of log records. */
export const checkLogsProtobuf: WalkerCheck = (bytes) => {
  const walked = checkWalk(bytes, (input) => ofLogs(walkLogsProtobuf(input)));
  for (const { bytes: record } of walked.ok ? walked.slices : []) {
    demand(decodeLogRecord(record).ok, 'an accepted log record cannot be decoded');
  }
};

/** Whether an object names a member twice: a parser of everything keeps the last alone, and the scanner takes the items of both. */
function hasRepeatedName(text: string): boolean {
  let written = 0;
  for (const [, colon] of text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g)) if (colon !== undefined) written += 1;
  let kept = 0;
  JSON.parse(text, (_, value: unknown) => {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) kept += Object.keys(value).length;
    return value;
  });
  return written !== kept;
}

/** The scanner and a parser of everything must agree on what is JSON and on how many items are in it. */
function checkJson(
  bytes: Buffer,
  walked: Walked,
  decode: (text: string) => { readonly ok: boolean; readonly rejected?: { readonly count: number } },
): void {
  const text = bytes.toString('utf8').replace(/^\ufeff/, '');
  if (!walked.ok) return;
  JSON.parse(text);
  const decoded = decode(text);
  if (decoded.ok && !hasRepeatedName(text))
    demand(decoded.rejected?.count === walked.rejected, 'walker and decoder reject different items');
}

/** An OTLP/JSON request of spans. */
export const checkTracesJson: WalkerCheck = (bytes) => {
  checkJson(
    bytes,
    checkWalk(bytes, (input) => ofTraces(walkTracesJson(input))),
    decodeTracesJson,
  );
};

/** An OTLP/JSON request of log records. */
export const checkLogsJson: WalkerCheck = (bytes) => {
  checkJson(
    bytes,
    checkWalk(bytes, (input) => ofLogs(walkLogsJson(input))),
    decodeLogsJson,
  );
};
