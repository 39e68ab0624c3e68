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

/** Adds pointers below a member to a list. */
function addBelow(list: string[], member: string, pointers: readonly string[] | undefined): void {
  if (pointers === undefined) return;
  for (const pointer of pointers) list.push(member + pointer);
}

function isAsItWas({ redacted, unread }: EncodedValue): boolean {
  return redacted === undefined && unread === undefined;
}

/** A cookie that a model's provider sets is nothing that an agent reads; the host of an HTTP request may. */
function isServed(pointer: string): boolean {
  return pointer.startsWith('/response/') && !/^\/response\/(?:headers|trailers)\//.test(pointer);
}

/** The headers that an SDK's error carries: their cookies are what isServed says. */
const cookieOfError = /^\/error\/.*\/headers\/entries\/\d+\/1$/;

const nothing: RedactionFacts = { redacted: [], unread: [], lossy: [] };

function isUntouched({ input, parts, exchanges }: RedactedParts): boolean {
  if (input !== undefined && !isAsItWas(input)) return false;
  for (const [, encoded] of parts) if (!isAsItWas(encoded)) return false;
  for (const { redacted, unread } of exchanges) if (redacted.length > 0 || unread.length > 0) return false;
  return true;
}

/** Collects what redaction did, told in pointers below the crossing. Each call of a model has a credential: it runs for each, and lists are made once. */
export function redactionOf(redactedParts: RedactedParts): RedactionFacts {
  if (isUntouched(redactedParts)) return nothing;
  const { input, parts, exchanges } = redactedParts;
  const facts = { redacted: [] as string[], unread: [] as string[], lossy: [] as string[] };
  addBelow(facts.redacted, '/input', input?.redacted);
  addBelow(facts.unread, '/input', input?.unread);
  for (const [member, { redacted = [], unread }] of parts) {
    for (const pointer of redacted) {
      const place = member + pointer;
      facts.redacted.push(place);
      if (!cookieOfError.test(place)) facts.lossy.push(`${place} redacted`);
    }
    addBelow(facts.unread, member, unread);
  }
  for (let index = 0; index < exchanges.length; index += 1) {
    const { redacted, unread } = exchanges[index] as RedactedExchange;
    const member = `/exchanges/${index}`;
    addBelow(facts.redacted, member, redacted);
    addBelow(facts.unread, member, unread);
    for (const pointer of redacted) if (isServed(pointer)) facts.lossy.push(`${member}${pointer} redacted`);
  }
  return facts;
}
