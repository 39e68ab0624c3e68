import { normaliseMessage } from './json-normalise.ts';
import { parseJsonExact } from './json-text.ts';
import { ITEMS_PER_REQUEST_MAX } from './limits.ts';
import { addRejection, createRejections, type OtlpProblem, type Rejections } from './problem.ts';
import { LOGS_LAYOUT, type RequestLayout, TRACES_LAYOUT } from './request-layout.ts';
import type { InstrumentationScope, LogRecord, LogsData, Resource, Span, TracesData } from './span.ts';

/** Parsed OTLP/JSON; items whose own content is wrong are left out of `data` and described in `rejected`. */
export type JsonDecoded<Data> =
  | { readonly ok: true; readonly data: Data; readonly rejected: Rejections }
  | { readonly ok: false; readonly problem: OtlpProblem };

/** One parsed and normalised object, or why it is not one. */
export type JsonMessage<Message> =
  | { readonly ok: true; readonly value: Message }
  | { readonly ok: false; readonly problem: OtlpProblem };

/**
 * Reads OTLP/JSON text as spans: validates, and brings ids, integers and enums into the one shape. A bad span is
 * rejected alone; text that is not JSON, or whose groups are not what they should be, is a problem.
 */
export function decodeTracesJson(text: string): JsonDecoded<TracesData> {
  return decodeRequest<TracesData>(text, TRACES_LAYOUT);
}

/** Reads OTLP/JSON text as log records, as `decodeTracesJson` does with spans. */
export function decodeLogsJson(text: string): JsonDecoded<LogsData> {
  return decodeRequest<LogsData>(text, LOGS_LAYOUT);
}

/** Reads the text of one span. */
export function decodeSpanJson(text: string): JsonMessage<Span> {
  return decodeText<Span>('Span', text);
}

/** Reads the text of one log record. */
export function decodeLogRecordJson(text: string): JsonMessage<LogRecord> {
  return decodeText<LogRecord>('LogRecord', text);
}

/** Reads the text of one resource. */
export function decodeResourceJson(text: string): JsonMessage<Resource> {
  return decodeText<Resource>('Resource', text);
}

/** Reads the text of one instrumentation scope. */
export function decodeScopeJson(text: string): JsonMessage<InstrumentationScope> {
  return decodeText<InstrumentationScope>('InstrumentationScope', text);
}

/** Writes spans as OTLP/JSON text on one line. Equal spans give equal text: members have one order. */
export function encodeTracesJson(data: TracesData): string {
  return JSON.stringify(orderRequest(data, TRACES_LAYOUT));
}

/** Writes log records as OTLP/JSON text on one line, in stable member order. */
export function encodeLogsJson(data: LogsData): string {
  return JSON.stringify(orderRequest(data, LOGS_LAYOUT));
}

/** Normalises one parsed object; `offset` is where it was read, for the problem. */
export function normaliseJson<Message>(name: string, value: unknown, offset = 0): JsonMessage<Message> {
  const findings = { problem: undefined, offset };
  const normalised = normaliseMessage(name, value, findings) as Message;
  const { problem }: { problem: OtlpProblem | undefined } = findings;
  return problem === undefined ? { ok: true, value: normalised } : { ok: false, problem };
}

function decodeText<Message>(name: string, text: string): JsonMessage<Message> {
  const parsed = parseJsonExact(text);
  if (!parsed.ok) return { ok: false, problem: { code: 'bad-json', message: parsed.reason, offset: 0 } };
  return normaliseJson<Message>(name, parsed.value);
}

interface Walk {
  readonly layout: RequestLayout;
  readonly rejected: Rejections;
  position: number;
  problem: OtlpProblem | undefined;
}

function decodeRequest<Data>(text: string, layout: RequestLayout): JsonDecoded<Data> {
  const parsed = parseJsonExact(text);
  if (!parsed.ok) return { ok: false, problem: { code: 'bad-json', message: parsed.reason, offset: 0 } };
  const walk: Walk = { layout, rejected: createRejections(), position: 0, problem: undefined };
  const request = asObject(walk, parsed.value, 'the request');
  const groups = asArray(walk, request[layout.groups], layout.groups).map((group, index) =>
    readResourceGroup(walk, group, `${layout.groups}[${index}]`),
  );
  if (walk.problem !== undefined) return { ok: false, problem: walk.problem };
  return { ok: true, data: { ...request, [layout.groups]: groups } as Data, rejected: walk.rejected };
}

function readResourceGroup(walk: Walk, value: unknown, path: string): object {
  const group = asObject(walk, value, path);
  const head = readHead(walk, 'Resource', group.resource);
  const scopes = asArray(walk, group[walk.layout.scopes], `${path}.${walk.layout.scopes}`).map((scope, index) =>
    readScopeGroup(walk, scope, `${path}.${walk.layout.scopes}[${index}]`, head),
  );
  return { ...group, ...withHead('resource', head), [walk.layout.scopes]: scopes };
}

function readScopeGroup(walk: Walk, value: unknown, path: string, resource: Head): object {
  const group = asObject(walk, value, path);
  const head = readHead(walk, 'InstrumentationScope', group.scope);
  const items: unknown[] = [];
  for (const item of asArray(walk, group[walk.layout.items], `${path}.${walk.layout.items}`)) {
    const position = walk.position++;
    if (position >= ITEMS_PER_REQUEST_MAX) {
      const message = `the request holds more than ${ITEMS_PER_REQUEST_MAX} items`;
      walk.problem ??= { code: 'too-many-items', message, offset: 0 };
      break;
    }
    const normalised = normaliseJson(walk.layout.message, item);
    const problem = resource?.problem ?? head?.problem ?? (normalised.ok ? undefined : normalised.problem);
    if (problem !== undefined) addRejection(walk.rejected, position, problem);
    else if (normalised.ok) items.push(normalised.value);
  }
  return { ...group, ...withHead('scope', head), [walk.layout.items]: items };
}

type Head = { readonly value?: unknown; readonly problem?: OtlpProblem } | undefined;

function readHead(walk: Walk, name: string, value: unknown): Head {
  if (value === undefined || value === null) return undefined;
  const result = normaliseJson(name, value, walk.position);
  return result.ok
    ? { value: result.value }
    : { problem: { ...result.problem, message: `its ${name}: ${result.problem.message}` } };
}

function withHead(member: string, head: Head): object {
  return head?.value === undefined ? {} : { [member]: head.value };
}

function asObject(walk: Walk, value: unknown, path: string): { [member: string]: unknown } {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as { [member: string]: unknown };
  walk.problem ??= { code: 'bad-shape', message: `${path} is not an object`, offset: 0 };
  return {};
}

function asArray(walk: Walk, value: unknown, path: string): unknown[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value;
  walk.problem ??= { code: 'bad-shape', message: `${path} is not an array`, offset: 0 };
  return [];
}

/** Every message is brought into descriptor order; a message that cannot be normalised is written as it is. */
function orderRequest(data: object, layout: RequestLayout): object {
  const groups = list(data, layout.groups).map((group) => {
    const scopes = list(group, layout.scopes).map((scope) => {
      const items = list(scope, layout.items).map((item) => orderMessage(layout.message, item));
      return orderGroup(scope, 'scope', 'InstrumentationScope', layout.items, items);
    });
    return orderGroup(group, 'resource', 'Resource', layout.scopes, scopes);
  });
  return { [layout.groups]: groups, ...orderRest(data, [layout.groups]) };
}

function orderGroup(group: object, head: string, name: string, members: string, items: object[]): object {
  const value: unknown = Reflect.get(group, head);
  const schemaUrl: unknown = Reflect.get(group, 'schemaUrl');
  return {
    ...(typeof value === 'object' && value !== null ? { [head]: orderMessage(name, value) } : {}),
    [members]: items,
    ...(schemaUrl === undefined ? {} : { schemaUrl }),
    ...orderRest(group, [head, members, 'schemaUrl']),
  };
}

function orderRest(value: object, known: readonly string[]): object {
  const rest = Object.entries(value).filter(([key]) => !known.includes(key));
  return Object.fromEntries(rest.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function orderMessage(name: string, value: object): object {
  const result = normaliseJson<object>(name, value);
  return result.ok ? result.value : value;
}

function list(value: object, member: string): object[] {
  return (Reflect.get(value, member) as object[] | undefined) ?? [];
}
