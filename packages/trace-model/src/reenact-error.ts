/**
 * The closed list of error codes. Each is documented in docs/errors.md, and a tidy test compares the two both ways.
 */
export const ERROR_CODES = [
  'access-denied',
  'bad-argument',
  'bad-config',
  'bad-plan',
  'bad-request',
  'cold-case',
  'collector-refused',
  'collector-unreachable',
  'driver-failed',
  'fixture-damaged',
  'fixture-unreadable',
  'internal',
  'launch-failed',
  'not-found',
  'port-taken',
  'recording-damaged',
  'replay-denied',
  'replay-exists',
  'replay-refused',
  'store-busy',
  'store-failed',
  'tenant-busy',
  'too-large',
  'unauthenticated',
  'unsupported',
] as const;

/** One of the closed list of error codes. */
export type ErrorCode = (typeof ERROR_CODES)[number];

/** What an error says beside its code. */
export interface ReenactErrorOptions {
  /** Where it happened: a file, flag, address, span or crossing path. */
  readonly where?: string;
  /** The next thing the reader should do, as one imperative sentence. */
  readonly next?: string;
  /** Whether the same call may succeed later without a change. Default false. */
  readonly retryable?: boolean;
  readonly cause?: unknown;
}

const MARKER = Symbol.for('reenact.error');

/**
 * The one error class of Reenact: what happened (`message`), where, and what to do next. Recognised by a symbol marker
 * and not by class identity, so that two copies of the package in one process still know each other's errors.
 */
export class ReenactError extends Error {
  readonly code: ErrorCode;
  readonly where: string | undefined;
  readonly next: string | undefined;
  readonly retryable: boolean;

  constructor(code: ErrorCode, message: string, options: ReenactErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ReenactError';
    this.code = code;
    this.where = options.where;
    this.next = options.next;
    this.retryable = options.retryable ?? false;
    Object.defineProperty(this, MARKER, { value: true });
  }
}

/** Whether a value is a ReenactError of this or another copy of the package. */
export function isReenactError(value: unknown): value is ReenactError {
  return typeof value === 'object' && value !== null && MARKER in value;
}

/** Turns anything thrown into a ReenactError; what is one already is returned as it is. */
export function toReenactError(thrown: unknown, code: ErrorCode = 'internal'): ReenactError {
  if (isReenactError(thrown)) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new ReenactError(code, message, { cause: thrown });
}

/** The errors that one says at once, made by `joinErrors`; else itself alone. */
export function errorsIn(error: ReenactError): readonly ReenactError[] {
  const { cause } = error;
  // A connection that failed at several addresses has such a cause, too.
  const isJoined = cause instanceof AggregateError && cause.errors.length > 1 && cause.errors.every(isReenactError);
  return isJoined ? (cause.errors as ReenactError[]) : [error];
}

/** One error that says all of these, each with its place and what to do; a single one stays as it is. */
export function joinErrors(errors: readonly ReenactError[]): ReenactError {
  const all = errors.flatMap(errorsIn);
  const [first, second] = all;
  if (first !== undefined && second === undefined) return first;
  return new ReenactError(
    first?.code ?? 'internal',
    describeAll(all, (next) => next),
    {
      cause: new AggregateError(all),
    },
  );
}

function describeAll(errors: readonly ReenactError[], advice: (next: string) => string): string {
  const lines = errors.map((error) => `- ${describeError(error, advice).replaceAll('\n', '\n  ')}`);
  return [`${errors.length} things are wrong:`, ...lines].join('\n');
}

/** One paragraph for people, of several errors a list: what happened, where, what to do. Never a stack. `advice` words what to do. */
export function describeError(error: ReenactError, advice: (next: string) => string = (next) => next): string {
  const all = errorsIn(error);
  if (all.length > 1) return describeAll(all, advice);
  const where = error.where === undefined ? '' : ` (${error.where})`;
  const next = error.next === undefined ? '' : `\n${advice(error.next)}`;
  return `${error.message}${where}${next}`;
}
