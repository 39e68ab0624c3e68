import type { OtlpProblem, OtlpProblemCode } from './problem.ts';

/** Bytes in a trace id. */
export const TRACE_ID_BYTES = 16;
/** Bytes in a span id. */
export const SPAN_ID_BYTES = 8;

/** Which id is read: how long it is, and what is said when it is wrong. */
export interface IdentifierRule {
  readonly code: OtlpProblemCode;
  readonly label: string;
  readonly bytes: number;
  /** Whether the id may be absent; then no id and an all-zero id both read as the empty string. */
  readonly isOptional: boolean;
}

/** A span's trace id. */
export const TRACE_ID: IdentifierRule = {
  code: 'bad-trace-id',
  label: 'trace id',
  bytes: TRACE_ID_BYTES,
  isOptional: false,
};
/** A span's own id. */
export const SPAN_ID: IdentifierRule = {
  code: 'bad-span-id',
  label: 'span id',
  bytes: SPAN_ID_BYTES,
  isOptional: false,
};
/** A span's parent id. */
export const PARENT_SPAN_ID: IdentifierRule = {
  code: 'bad-parent-span-id',
  label: 'parent span id',
  bytes: SPAN_ID_BYTES,
  isOptional: true,
};
/** A log record's trace id. */
export const LOG_TRACE_ID: IdentifierRule = { ...TRACE_ID, isOptional: true };
/** A log record's span id. */
export const LOG_SPAN_ID: IdentifierRule = { ...SPAN_ID, isOptional: true };

/** Why bytes[start, end) are no such id; undefined where they are. `offset` is where the item starts. */
export function findWrongIdentifier(
  rule: IdentifierRule,
  bytes: Uint8Array,
  start: number,
  end: number,
  offset: number,
): OtlpProblem | undefined {
  const length = end - start;
  if (length === 0 && rule.isOptional) return undefined;
  if (length !== rule.bytes) {
    const message = `${rule.label} has ${length} bytes instead of ${rule.bytes}`;
    return { code: rule.code, message, offset };
  }
  if (rule.isOptional || !areZeros(bytes, start, end)) return undefined;
  return { code: rule.code, message: `${rule.label} is all zeros`, offset };
}

/** Lower-case hex of the id at bytes[start, end); empty where there is none or only zeros, which both mean that. */
export function identifierText(bytes: Buffer, start: number, end: number): string {
  return areZeros(bytes, start, end) ? '' : bytes.toString('hex', start, end);
}

/** Lower-case hex of an id, or why it is not one. `offset` is where the item starts. */
export function readIdentifier(rule: IdentifierRule, bytes: Uint8Array, offset: number): string | OtlpProblem {
  const wrong = findWrongIdentifier(rule, bytes, 0, bytes.length, offset);
  return wrong ?? identifierText(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), 0, bytes.length);
}

function areZeros(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if (bytes[at] !== 0) return false;
  return true;
}
