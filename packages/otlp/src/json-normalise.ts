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
import {
  isPlainIdentifier,
  isPlainInteger,
  readBase64,
  readHexOrBase64,
  readInteger,
  readNumber,
} from './json-scalar.ts';
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
  return normalise(planOf(messageType(name)), value, { findings, trail: [], depth: 0 });
}

/** Where it is being read. One for all of an object: a recording has a hundred thousand values, and a path is wanted of one that is wrong. */
interface Place {
  readonly findings: Findings;
  /** Members and positions in lists from the object down to the value that is read. */
  readonly trail: (string | number)[];
  depth: number;
}

/** What is to be done with one field of a message, found out once. */
interface FieldPlan {
  readonly field: Field;
  readonly name: string;
  /** The field as `Message.member`. */
  readonly member: string;
  readonly rule: IdentifierRule | undefined;
  readonly isRepeated: boolean;
  /** Of a field that holds messages; looked up when one is met, for they nest. */
  readonly message: Type | undefined;
}

interface MessagePlan {
  readonly fields: readonly FieldPlan[];
  readonly names: ReadonlySet<string>;
  readonly isNesting: boolean;
  readonly required: readonly (readonly [string, () => unknown])[];
}

const plans = new Map<Type, MessagePlan>();

function planOf(type: Type): MessagePlan {
  const known = plans.get(type);
  if (known !== undefined) return known;
  const plan: MessagePlan = {
    fields: type.fieldsArray.map((field) => ({
      field,
      name: field.name,
      member: `${type.name}.${field.name}`,
      rule: IDENTIFIERS[`${type.name}.${field.name}`],
      isRepeated: field.repeated,
      message: field.resolvedType === null ? undefined : (field.resolvedType as Type),
    })),
    names: new Set(Object.keys(type.fields)),
    isNesting: isNesting(type.name),
    required: REQUIRED_MEMBERS[type.name] ?? [],
  };
  plans.set(type, plan);
  return plan;
}

function normalise(plan: MessagePlan, value: unknown, place: Place): object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return report(place, 'bad-shape', `is not an object`) ?? {};
  }
  if (!plan.isNesting) return normaliseFields(plan, value as Members, place);
  if (place.depth >= ANY_VALUE_DEPTH_MAX) {
    return report(place, 'too-deep', `nests deeper than ${ANY_VALUE_DEPTH_MAX} levels`) ?? {};
  }
  place.depth += 1;
  const shape = normaliseFields(plan, value as Members, place);
  place.depth -= 1;
  return shape;
}

interface Members {
  [member: string]: unknown;
}

function normaliseFields(plan: MessagePlan, value: Members, place: Place): Members {
  const { findings, trail } = place;
  const shape: Members = {};
  const keys = Object.keys(value);
  let known = 0;
  for (const field of plan.fields) {
    // Nobody looks at the rest of what is wrong already, of which a request may hold hundreds of thousands.
    if (findings.problem !== undefined) return {};
    const { name } = field;
    const isThere = keys.length === 1 ? keys[0] === name : Object.hasOwn(value, name);
    if (isThere) known += 1;
    else if (field.rule === undefined) continue;
    trail.push(name);
    const normalised = normaliseMember(field, isThere ? value[name] : undefined, place);
    trail.pop();
    if (normalised !== undefined) shape[name] = normalised;
  }
  if (known < keys.length) keepUnknown(plan, value, keys, shape);
  for (const [member, standIn] of plan.required) {
    if (shape[member] === undefined) shape[member] = standIn();
  }
  return shape;
}

/** Adds the members that OTLP does not define. One may be called `__proto__`, which an assignment would take for something else. */
function keepUnknown(plan: MessagePlan, value: Members, keys: readonly string[], shape: Members): void {
  for (const key of keys.filter((name) => !plan.names.has(name)).sort()) {
    Object.defineProperty(shape, key, { value: value[key], enumerable: true, configurable: true, writable: true });
  }
}

function normaliseMember(field: FieldPlan, value: unknown, place: Place): unknown {
  if (field.rule !== undefined) return normaliseIdentifier(field.rule, value, place);
  if (value === undefined || value === null) return undefined;
  if (!field.isRepeated) return normaliseValue(field, value, place);
  if (!Array.isArray(value)) return report(place, 'bad-shape', 'is not an array');
  return value.map((item: unknown, index) => {
    place.trail.push(index);
    const normalised = normaliseValue(field, item, place);
    place.trail.pop();
    return normalised;
  });
}

function normaliseValue(field: FieldPlan, value: unknown, place: Place): unknown {
  if (field.message !== undefined) return normalise(planOf(field.message), value, place);
  switch (field.field.type) {
    case 'string':
      return typeof value === 'string' ? value : report(place, 'bad-shape', 'is not a string');
    case 'bool':
      return typeof value === 'boolean' ? value : report(place, 'bad-shape', 'is not a boolean');
    case 'bytes':
      return normaliseBytes(field.name, value, place);
    case 'double':
      return readNumber(value) ?? report(place, 'bad-value', 'is not a number');
    default:
      return normaliseInteger(field, value, place);
  }
}

function normaliseInteger({ field: { type }, member }: FieldPlan, value: unknown, place: Place): unknown {
  const isLong = LONG_TYPES.has(type);
  if (typeof value === 'string') {
    if (isLong && isPlainInteger(value)) return value;
    const named = readEnumName(member, value);
    if (named !== undefined) return named;
  }
  const text = readInteger(value, type);
  if (text === undefined) return report(place, 'bad-value', `is not an integer of type ${type}`);
  return isLong ? text : Number(text);
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
  if (typeof value === 'string' && isPlainIdentifier(value, rule.bytes)) return value;
  const text = value ?? '';
  const bytes = typeof text === 'string' ? readHexOrBase64(text, rule.bytes) : undefined;
  if (bytes === undefined) return report(place, rule.code, 'is neither hex nor base64');
  const identifier = readIdentifier(rule, bytes, place.findings.offset);
  if (typeof identifier !== 'string') return report(place, identifier.code, `is wrong: ${identifier.message}`);
  return identifier === '' ? undefined : identifier;
}

function normaliseBytes(name: string, value: unknown, place: Place): string | undefined {
  if (typeof value !== 'string') return report(place, 'bad-shape', 'is not a string');
  if (!HEX_MEMBERS.has(name)) return readBase64(value) ?? report(place, 'bad-value', 'is not base64');
  const length = name === 'traceId' ? TRACE_ID_BYTES : SPAN_ID_BYTES;
  const bytes = readHexOrBase64(value, length);
  return bytes?.toString('hex') ?? report(place, 'bad-value', 'is neither hex nor base64');
}

/** Written as in `attributes[3].value`. */
function pathOf(trail: readonly (string | number)[]): string {
  if (trail.length === 0) return 'the value';
  return trail
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : `${index > 0 ? '.' : ''}${step}`))
    .join('');
}

function report({ findings, trail }: Place, code: OtlpProblemCode, what: string): undefined {
  if (findings.problem !== undefined) return undefined;
  findings.problem = { code, message: `${pathOf(trail)} ${what}`, offset: findings.offset };
  return undefined;
}
