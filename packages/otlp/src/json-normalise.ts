import type { Field, Type } from 'protobufjs/light.js';
import {
  type IdentifierRule,
  LOG_SPAN_ID,
  LOG_TRACE_ID,
  PARENT_SPAN_ID,
  readIdentifier,
  SPAN_ID,
  SPAN_ID_BYTES,
  TRACE_ID,
  TRACE_ID_BYTES,
} from './identifier.ts';
import { readBase64, readHexOrBase64, readInteger, readNumber } from './json-scalar.ts';
import { ANY_VALUE_DEPTH_MAX } from './limits.ts';
import { HEX_MEMBERS, isNesting, LONG_TYPES, messageType, REQUIRED_MEMBERS } from './message-type.ts';
import type { OtlpProblem, OtlpProblemCode } from './problem.ts';

const TEMPORALITY = /^AGGREGATION_TEMPORALITY_(UNSPECIFIED|DELTA|CUMULATIVE)$/;
const ENUM_NAMES: { readonly [member: string]: RegExp } = {
  'Span.kind': /^SPAN_KIND_(UNSPECIFIED|INTERNAL|SERVER|CLIENT|PRODUCER|CONSUMER)$/,
  'SpanStatus.code': /^STATUS_CODE_(UNSET|OK|ERROR)$/,
  'Sum.aggregationTemporality': TEMPORALITY,
  'Histogram.aggregationTemporality': TEMPORALITY,
  'ExponentialHistogram.aggregationTemporality': TEMPORALITY,
};
const ENUM_VALUES: { readonly [name: string]: number } = {
  UNSPECIFIED: 0,
  INTERNAL: 1,
  SERVER: 2,
  CLIENT: 3,
  PRODUCER: 4,
  CONSUMER: 5,
  UNSET: 0,
  OK: 1,
  ERROR: 2,
  DELTA: 1,
  CUMULATIVE: 2,
};
const SEVERITIES = ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL'];

const IDENTIFIERS: { readonly [member: string]: IdentifierRule } = {
  'Span.traceId': TRACE_ID,
  'Span.spanId': SPAN_ID,
  'Span.parentSpanId': PARENT_SPAN_ID,
  'LogRecord.traceId': LOG_TRACE_ID,
  'LogRecord.spanId': LOG_SPAN_ID,
};

/** The first thing found wrong while an object is normalised; later findings are not kept. */
export interface Findings {
  problem: OtlpProblem | undefined;
  /** Where the object starts, for the problem's offset. */
  readonly offset: number;
}

/**
 * Brings one parsed OTLP/JSON object of a named message into the shape every part of Reenact shares: lower-case hex
 * ids, decimal-string 64-bit integers, numeric enums, members in descriptor order. Members OTLP does not define are
 * kept as they are, last. What is wrong goes to `findings`; the returned object is then of no use.
 */
export function normaliseMessage(name: string, value: unknown, findings: Findings): object {
  return normalise(messageType(name), value, { findings, path: '', depth: 0 });
}

interface Place {
  readonly findings: Findings;
  readonly path: string;
  readonly depth: number;
}

function normalise(type: Type, value: unknown, outer: Place): object {
  const place = isNesting(type.name) ? { ...outer, depth: outer.depth + 1 } : outer;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return report(place, 'bad-shape', `is not an object`) ?? {};
  }
  if (place.depth > ANY_VALUE_DEPTH_MAX) {
    return report(place, 'too-deep', `nests deeper than ${ANY_VALUE_DEPTH_MAX} levels`) ?? {};
  }
  const entries: [string, unknown][] = [];
  for (const field of type.fieldsArray) {
    // Nobody looks at the rest of what is wrong already, of which a request may hold hundreds of thousands.
    if (place.findings.problem !== undefined) return {};
    const member = Object.hasOwn(value, field.name) ? Reflect.get(value, field.name) : undefined;
    const normalised = normaliseMember(type, field, member, inside(place, field.name));
    if (normalised !== undefined) entries.push([field.name, normalised]);
  }
  const unknown = Object.keys(value).filter((key) => !Object.hasOwn(type.fields, key));
  for (const key of unknown.sort()) entries.push([key, Reflect.get(value, key)]);
  const shape = Object.fromEntries(entries);
  for (const [member, standIn] of REQUIRED_MEMBERS[type.name] ?? []) {
    if (shape[member] === undefined) shape[member] = standIn();
  }
  return shape;
}

function inside(place: Place, member: string): Place {
  return { ...place, path: place.path === '' ? member : `${place.path}.${member}` };
}

function normaliseMember(type: Type, field: Field, value: unknown, place: Place): unknown {
  const rule = IDENTIFIERS[`${type.name}.${field.name}`];
  if (rule !== undefined) return normaliseIdentifier(rule, value, place);
  if (value === undefined || value === null) return undefined;
  if (!field.repeated) return normaliseValue(type, field, value, place);
  if (!Array.isArray(value)) return report(place, 'bad-shape', 'is not an array');
  return value.map((item, index) => normaliseValue(type, field, item, { ...place, path: `${place.path}[${index}]` }));
}

function normaliseValue(type: Type, field: Field, value: unknown, place: Place): unknown {
  if (field.resolvedType !== null) return normalise(field.resolvedType as Type, value, place);
  switch (field.type) {
    case 'string':
      return typeof value === 'string' ? value : report(place, 'bad-shape', 'is not a string');
    case 'bool':
      return typeof value === 'boolean' ? value : report(place, 'bad-shape', 'is not a boolean');
    case 'bytes':
      return normaliseBytes(field, value, place);
    case 'double':
      return readNumber(value) ?? report(place, 'bad-value', 'is not a number');
    default:
      return normaliseInteger(type, field, value, place);
  }
}

function normaliseInteger(type: Type, field: Field, value: unknown, place: Place): unknown {
  if (typeof value === 'string') {
    const named = readEnumName(`${type.name}.${field.name}`, value);
    if (named !== undefined) return named;
  }
  const text = readInteger(value, field.type);
  if (text === undefined) return report(place, 'bad-value', `is not an integer of type ${field.type}`);
  return LONG_TYPES.has(field.type) ? text : Number(text);
}

function readEnumName(member: string, name: string): number | undefined {
  const matched = ENUM_NAMES[member]?.exec(name)?.[1];
  if (matched !== undefined) return ENUM_VALUES[matched];
  if (member !== 'LogRecord.severityNumber') return undefined;
  if (name === 'SEVERITY_NUMBER_UNSPECIFIED') return 0;
  const [, severity = '', step = '1'] = /^SEVERITY_NUMBER_([A-Z]+)([2-4])?$/.exec(name) ?? [];
  const rank = SEVERITIES.indexOf(severity);
  return rank < 0 ? undefined : rank * 4 + Number(step);
}

function normaliseIdentifier(rule: IdentifierRule, value: unknown, place: Place): string | undefined {
  const text = value ?? '';
  const bytes = typeof text === 'string' ? readHexOrBase64(text, rule.bytes) : undefined;
  if (bytes === undefined) return report(place, rule.code, 'is neither hex nor base64');
  const identifier = readIdentifier(rule, bytes, place.findings.offset);
  if (typeof identifier !== 'string') return report(place, identifier.code, `is wrong: ${identifier.message}`);
  return identifier === '' ? undefined : identifier;
}

function normaliseBytes(field: Field, value: unknown, place: Place): string | undefined {
  if (typeof value !== 'string') return report(place, 'bad-shape', 'is not a string');
  if (!HEX_MEMBERS.has(field.name)) return readBase64(value) ?? report(place, 'bad-value', 'is not base64');
  const length = field.name === 'traceId' ? TRACE_ID_BYTES : SPAN_ID_BYTES;
  const bytes = readHexOrBase64(value, length);
  return bytes?.toString('hex') ?? report(place, 'bad-value', 'is neither hex nor base64');
}

function report(place: Place, code: OtlpProblemCode, what: string): undefined {
  const message = `${place.path === '' ? 'the value' : place.path} ${what}`;
  place.findings.problem ??= { code, message, offset: place.findings.offset };
  return undefined;
}
