import type { EncodedValue } from '@reenact/trace-model';
import type { RedactedExchange } from './redact-exchange.ts';

/** What redaction did to one crossing. */
export interface RedactionFacts {
  readonly redacted: readonly string[];
  readonly unread: readonly string[];
  /** Marks of what a replay serves with tokens in it. */
  readonly lossy: readonly string[];
}

/** The parts of a crossing, redacted. */
export interface RedactedParts {
  readonly input: EncodedValue | undefined;
  /** Each with the member that its pointers are told below. */
  readonly parts: readonly (readonly [member: string, encoded: EncodedValue])[];
  readonly exchanges: readonly RedactedExchange[];
}

function below(member: string, pointers: readonly string[] = []): string[] {
  return pointers.map((pointer) => `${member}${pointer}`);
}

function isAsItWas({ redacted, unread }: EncodedValue): boolean {
  return redacted === undefined && unread === undefined;
}

/** A cookie that a model's provider sets is nothing that an agent reads; the host of an HTTP request may. */
function isServed(pointer: string): boolean {
  return pointer.startsWith('/response/') && !pointer.startsWith('/response/headers/');
}

/** The headers that an SDK's error carries: their cookies are what isServed says. */
const cookieOfError = /^\/error\/.*\/headers\/entries\/\d+\/1$/;

const nothing: RedactionFacts = { redacted: [], unread: [], lossy: [] };

function isUntouched({ input, parts, exchanges }: RedactedParts): boolean {
  return (
    (input === undefined || isAsItWas(input)) &&
    parts.every(([, encoded]) => isAsItWas(encoded)) &&
    exchanges.every(({ redacted, unread }) => redacted.length === 0 && unread.length === 0)
  );
}

/** Collects what redaction did, told in pointers below the crossing. */
export function redactionOf(redactedParts: RedactedParts): RedactionFacts {
  if (isUntouched(redactedParts)) return nothing;
  const { input, parts, exchanges } = redactedParts;
  const ofOutcome = parts.flatMap(([member, { redacted }]) => below(member, redacted));
  const pointersOf = (pick: (exchange: RedactedExchange) => readonly string[]): string[] =>
    exchanges.flatMap((exchange, index) => pick(exchange).map((pointer) => `/exchanges/${index}${pointer}`));
  const served = [
    ...ofOutcome.filter((pointer) => !cookieOfError.test(pointer)),
    ...pointersOf(({ redacted }) => redacted.filter(isServed)),
  ];
  return {
    redacted: [...below('/input', input?.redacted), ...ofOutcome, ...pointersOf(({ redacted }) => redacted)],
    unread: [
      ...below('/input', input?.unread),
      ...parts.flatMap(([member, { unread }]) => below(member, unread)),
      ...pointersOf(({ unread }) => unread),
    ],
    lossy: served.map((pointer) => `${pointer} redacted`),
  };
}
