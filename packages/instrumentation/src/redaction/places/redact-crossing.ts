import type { Attributes } from '@opentelemetry/api';
import { type EncodedValue, type Exchange, payloadOf } from '@reenact/trace-model';
import { reportFailure } from '../../host/report-failure.ts';
import { processRedactor } from '../redactor/process-redaction.ts';
import { redactedText } from '../redactor/redacted-text.ts';
import type { Redactor } from '../redactor/redactor.ts';
import { rememberingSearch } from '../redactor/searched-texts.ts';
import { searchedAddress } from './message-address.ts';
import { type AnswerBody, redactedAnswer } from './redact-answer.ts';
import { type RedactedExchange, redactedExchange } from './redact-exchange.ts';
import { type RedactedMembers, redactedMembers } from './redact-members.ts';
import { type MessageFacts, redactedMessage } from './redact-message.ts';
import { type EncodedChunk, redactedChunks, redactedValue } from './redact-value.ts';

/** What stands for what could not be searched: it leaves with no content rather than with a secret. */
const withheld = '[withheld: redaction failed]';

/** Runs one step of redaction on a value; where it fails, nothing of the value is kept. Never throws. */
function closed<Value, Result>(
  step: (redactor: Redactor, value: Value) => Result,
  value: Value,
  withoutContent: (value: Value) => Result,
): Result {
  try {
    return step(processRedactor(), value);
  } catch (thrown) {
    reportFailure('redacting', thrown);
    return withoutContent(value);
  }
}

function withheldValue(): EncodedValue {
  return { payload: payloadOf('text', withheld), lossy: ['/ redaction-failed'], redacted: [''] };
}

/** An encoded value as it may leave the process; `before` names what was redacted before it was encoded. Never throws. */
export function redactEncoded(value: EncodedValue, before: readonly string[] = []): EncodedValue {
  const kept = closed(redactedValue, value, withheldValue);
  return before.length === 0 ? kept : { ...kept, redacted: [...new Set([...(kept.redacted ?? []), ...before])] };
}

function withheldChunks(chunks: readonly EncodedChunk[]): readonly EncodedChunk[] {
  return chunks.map(({ offsetUs, microtasks }) => ({ offsetUs, microtasks, value: withheldValue() }));
}

/** The chunks of a stream as they may leave the process. Never throws. */
export function redactChunks(chunks: readonly EncodedChunk[]): readonly EncodedChunk[] {
  return closed(redactedChunks, chunks, withheldChunks);
}

/** An exchange as it may leave the process. Never throws. */
export function redactExchange(exchange: Exchange): RedactedExchange {
  return closed(redactedExchange, exchange, withheldExchange);
}

function withheldExchange({ layer, attempt, startedAtUnixNano, request: { method } }: Exchange): RedactedExchange {
  const request = { method, url: withheld, headers: [] };
  return { exchange: { layer, attempt, startedAtUnixNano, request }, redacted: [''], unread: [] };
}

/**
 * A serialized message as it may leave the process: as long as it was, the same object where nothing was found, empty where it
 * could not be searched. Never throws.
 */
export function redactMessage(message: Uint8Array, facts: MessageFacts = {}): Uint8Array {
  return closed(
    (redactor, whole) => redactedMessage(redactor, whole, facts) ?? whole,
    message,
    () => new Uint8Array(),
  );
}

/** The object of a message as it may leave the process, before it is encoded: bytes have no names afterwards. Never throws. */
export function redactMembers(message: object): RedactedMembers {
  return closed(redactedMembers, message, () => ({ value: withheld, redacted: [''], isWithheld: true }));
}

/**
 * The body of an answer of this process's own as it may leave it, where a definition names what is in it; the same object where that finds
 * nothing, undefined where it could not be searched. Never throws.
 */
export function redactAnswer(answer: AnswerBody): Buffer | undefined {
  return closed<AnswerBody, Buffer | undefined>(
    (redactor, whole) => redactedAnswer(redactor, whole) ?? whole.body,
    answer,
    () => undefined,
  );
}

/** A text as it may leave the process: a message, a name, a mark. Never throws. */
export function redactText(text: string): string {
  return closed(redactedText, text, () => withheld);
}

const redactedAttribute = rememberingSearch(searchedAttribute);

const redactedList = rememberingSearch(
  (redactor, _key, text) =>
    redactedValue(redactor, { payload: payloadOf('json', text), lossy: [] }).payload.data ?? '{}',
);

function searchedAttribute(redactor: Redactor, key: string, given: string): string {
  const text = searchedAddress(redactor, given).changed ?? given;
  if (!redactor.mayHold(text)) return text;
  const { payload } = redactedValue(redactor, { payload: payloadOf('json', text), lossy: [] });
  return redactor.namedText(key, payload.data ?? text);
}

/**
 * Attributes as they may leave the process. Texts that are JSON are searched by their structure. The same object where
 * nothing was found. Never throws.
 */
export function redactAttributes(attributes: Attributes): Attributes {
  return closed(redactedAttributes, attributes, () => ({}));
}

function redactedAttributes(redactor: Redactor, attributes: Attributes): Attributes {
  let changed: Attributes | undefined;
  for (const key of Object.keys(attributes)) {
    const value = attributes[key];
    const kept = redactedAttributeValue(redactor, key, value);
    if (kept === value) continue;
    changed ??= { ...attributes };
    changed[key] = kept;
  }
  return changed ?? attributes;
}

function redactedAttributeValue(redactor: Redactor, key: string, value: Attributes[string]): Attributes[string] {
  if (typeof value === 'string') return redactedAttribute(redactor, key, value);
  if (!Array.isArray(value) || !value.some((item) => typeof item === 'string')) return value;
  // With its name: the values of a header are listed under it.
  const text = JSON.stringify({ [key]: value });
  const kept = redactedList(redactor, key, text);
  return kept === text ? value : (JSON.parse(kept) as Record<string, string[]>)[key];
}
