import { ATTR_ERROR_TYPE, ATTR_PROCESS_EXIT_CODE } from '@reenact/semconv/core';
import {
  ATTR_GEN_AI_EMBEDDINGS_DIMENSION_COUNT,
  ATTR_GEN_AI_INPUT_MESSAGES,
  ATTR_GEN_AI_OUTPUT_MESSAGES,
  ATTR_GEN_AI_REQUEST_MODEL,
  ATTR_GEN_AI_RESPONSE_MODEL,
  ATTR_GEN_AI_RETRIEVAL_DOCUMENTS,
  ATTR_GEN_AI_RETRIEVAL_QUERY_TEXT,
  ATTR_GEN_AI_TOOL_CALL_ARGUMENTS,
  ATTR_GEN_AI_TOOL_CALL_RESULT,
  ATTR_GEN_AI_USAGE_INPUT_TOKENS,
  ATTR_GEN_AI_USAGE_OUTPUT_TOKENS,
} from '@reenact/semconv/gen-ai';
import {
  ATTR_REENACT_INPUT_INVALID,
  ATTR_REENACT_INPUT_VIOLATIONS,
  ATTR_REENACT_MODE,
  ATTR_REENACT_POLICY,
  ATTR_REENACT_REQUIRES_MISSING,
  ATTR_REENACT_UNCAUGHT,
} from '@reenact/semconv/reenact';
import { abridgedTree } from '../json/abridged-tree.ts';
import { isTree } from '../json/json-tree.ts';
import type { Payload } from '../payloads/payload.ts';
import { payloadTree } from '../payloads/payload-tree.ts';
import type { Outcome, ShownCrossing } from './crossing.ts';
import { isEntry } from './is-entry.ts';
import {
  answerText,
  embeddedText,
  httpRequestText,
  lastMessageText,
  mcpAnswerText,
  mcpRequestText,
  partsText,
  plainText,
} from './said-text.ts';
import { unwrittenOutcome } from './unwritten-outcome.ts';

/** Shorter texts are read whole: that is as fast. */
const ABRIDGED_CHARACTERS_MIN = 256 * 1024;

/** JSON as far as a preview of so many characters shows it. */
function shownTree(json: string, charactersMax: number): unknown {
  const isShort = json.length <= Math.max(ABRIDGED_CHARACTERS_MIN, charactersMax);
  return isShort ? JSON.parse(json) : abridgedTree(json, charactersMax);
}

/** The tree of a payload as far as a preview of so many characters shows it. */
export function shownPayload(payload: Payload, charactersMax: number): unknown {
  const { format, data } = payload;
  const isJson = format === 'json' || format === 'js';
  return isJson && data !== undefined ? shownTree(data, charactersMax) : payloadTree(payload);
}

const NOT_RECORDED = '(not recorded)';

/** What is below full capture. */
function digestPreview({ digest }: Payload): string {
  return `(digest only: ${digest})`;
}

function resultPreview({ kind }: ShownCrossing, value: Payload, charactersMax: number): string | undefined {
  const tree = shownPayload(value, charactersMax);
  if (tree === undefined && value.data === undefined) return undefined;
  return kind === 'mcp' ? mcpAnswerText(tree) : answerText(tree);
}

/** What a call gave back as its value; undefined where it is not known. */
export function knownResult(
  crossing: ShownCrossing,
  value: Payload | undefined,
  charactersMax: number,
): string | undefined {
  return value === undefined ? foreignOutput(crossing, charactersMax) : resultPreview(crossing, value, charactersMax);
}

/** What another instrumentation says of a crossing that has no payload: a text, or JSON as far as it is shown. */
function saidAttribute(crossing: ShownCrossing, keys: readonly string[], charactersMax: number): unknown {
  for (const key of crossing.dialect === 'reenact' ? [] : keys) {
    const value = crossing.attributes.get(key);
    if (value === undefined || value === null) continue;
    if (typeof value !== 'string') return value;
    try {
      return shownTree(value, charactersMax);
    } catch {
      return value;
    }
  }
  return undefined;
}

function foreignInput(crossing: ShownCrossing, charactersMax: number): string | undefined {
  const messages = saidAttribute(crossing, [ATTR_GEN_AI_INPUT_MESSAGES], charactersMax);
  if (Array.isArray(messages)) return lastMessageText({ messages });
  const said = saidAttribute(
    crossing,
    [ATTR_GEN_AI_TOOL_CALL_ARGUMENTS, ATTR_GEN_AI_RETRIEVAL_QUERY_TEXT],
    charactersMax,
  );
  return said === undefined ? undefined : plainText(said);
}

function foreignOutput(crossing: ShownCrossing, charactersMax: number): string | undefined {
  const said = saidAttribute(crossing, [ATTR_GEN_AI_TOOL_CALL_RESULT, ATTR_GEN_AI_RETRIEVAL_DOCUMENTS], charactersMax);
  return said === undefined ? undefined : answerText(said);
}

/** What went in, where more than it says is written around it: a request of a known form. */
function requestText(crossing: ShownCrossing, tree: Readonly<Record<string, unknown>>): string | undefined {
  if (crossing.kind === 'model') return lastMessageText(tree);
  if (crossing.kind === 'embedding') return embeddedText(tree);
  if (crossing.kind === 'mcp') return mcpRequestText(tree);
  return crossing.kind === 'http' || isEntry(crossing) ? httpRequestText(tree) : undefined;
}

/**
 * One line that says what went in. `charactersMax`: how many of its characters are shown; of a large payload it then holds little more, and
 * takes no memory for the rest.
 */
export function inputPreview(crossing: ShownCrossing, charactersMax = Number.POSITIVE_INFINITY): string {
  const { input } = crossing;
  return knownInput(crossing, charactersMax) ?? (input === undefined ? NOT_RECORDED : digestPreview(input));
}

/** The same; undefined where it is not known. */
export function knownInput(crossing: ShownCrossing, charactersMax: number): string | undefined {
  if (crossing.input === undefined) return foreignInput(crossing, charactersMax);
  const tree = shownPayload(crossing.input, charactersMax);
  if (tree === undefined) return undefined;
  const asked = isTree(tree) ? requestText(crossing, tree) : undefined;
  return asked ?? plainText(Array.isArray(tree) && tree.length === 1 ? tree[0] : tree);
}

function saidIn(messages: unknown): string | undefined {
  const parts = Array.isArray(messages)
    ? messages.flatMap((message) => (isTree(message) && Array.isArray(message.parts) ? message.parts : []))
    : [];
  return parts.length === 0 ? undefined : partsText(parts);
}

/** What another instrumentation put into log events stands in the outcome that was rebuilt from them. */
function rebuiltOutput({ dialect, outcome }: ShownCrossing, charactersMax: number): string | undefined {
  if (dialect === 'reenact' || outcome.type !== 'returned' || outcome.value === undefined) return undefined;
  const tree = shownPayload(outcome.value, charactersMax);
  return isTree(tree) ? saidIn(tree.messages) : undefined;
}

/** What a model said; undefined where that is not known. */
export function modelOutput(crossing: ShownCrossing, charactersMax: number): string | undefined {
  const messages = crossing.attributes.get(ATTR_GEN_AI_OUTPUT_MESSAGES);
  if (typeof messages !== 'string') return rebuiltOutput(crossing, charactersMax);
  try {
    return saidIn(shownTree(messages, charactersMax));
  } catch {
    return undefined;
  }
}

function errorPreview(payload: Payload | undefined, charactersMax: number): string {
  if (payload !== undefined && payload.data === undefined) return digestPreview(payload);
  const tree = payload === undefined ? undefined : shownPayload(payload, charactersMax);
  const record = isTree(tree) && isTree(tree.record) ? tree.record : undefined;
  if (record === undefined) return payload === undefined ? 'an error' : plainText(tree);
  const fields = isTree(record.fields) ? record.fields : {};
  // Libraries leave code and status on their errors as undefined or null where there was none.
  const facts = [record.class, fields.code, fields.status]
    .filter((fact) => typeof fact === 'string' || typeof fact === 'number')
    .map(plainText);
  return `${facts.join(' ')}: ${plainText(record.message)}`;
}

/** The beginning of a body that came as text; undefined of any other. */
function bodyStart(chunks: readonly (readonly [unknown, unknown])[], charactersMax: number): string | undefined {
  let body = '';
  for (const [, data] of chunks) {
    if (typeof data !== 'string') return undefined;
    body += data;
    if (body.length > charactersMax) break;
  }
  return body === '' ? undefined : body;
}

function exchangePreview(crossing: ShownCrossing, charactersMax: number): string {
  const last = crossing.exchanges.at(-1);
  if (last?.response === undefined) return crossing.exchanges.length === 0 ? '(not recorded)' : 'no response';
  const { status, chunks } = last.response;
  // Of the answer of a model, what was said is told by its messages.
  const isTold = crossing.kind === 'http' && crossing.outcome.type !== 'pending' && crossing.outlivesRun === undefined;
  const body = isTold ? bodyStart(chunks, charactersMax) : undefined;
  if (body !== undefined) return `HTTP ${status}: ${body}`;
  const came = `HTTP ${status}, ${chunks.length} ${chunks.length === 1 ? 'chunk' : 'chunks'}`;
  return crossing.outlivesRun === 'satisfied' ? `${came}, not read to its end when the run ended` : came;
}

function pendingPreview(crossing: ShownCrossing, charactersMax: number): string {
  const unwritten = unwrittenOutcome(crossing);
  if (unwritten !== undefined) return `(had ended: ${unwritten})`;
  const hasAnswer = crossing.exchanges.at(-1)?.response !== undefined;
  const exitCode = crossing.attributes.get(ATTR_PROCESS_EXIT_CODE);
  const stopped = typeof exitCode === 'number' ? `exited with code ${exitCode}` : 'stopped';
  const when =
    crossing.outlivesRun === undefined
      ? `had not ended when its process ${stopped}`
      : 'was still read when its run ended';
  if (hasAnswer) return `(${when}: ${exchangePreview(crossing, charactersMax)} had come)`;
  const came = valuesThatCame(crossing.outcome, charactersMax);
  return came === '' ? `(${when})` : `(${when}; what had come: ${came})`;
}

function valuesThatCame(outcome: Outcome, charactersMax: number): string {
  return 'chunks' in outcome
    ? chunksPreview(outcome.chunks.map(({ value }) => shownPayload(value, charactersMax)))
    : '';
}

/** Pieces of text read as the text they make; other values stay apart. */
function chunksPreview(chunks: readonly unknown[]): string {
  return chunks.map(plainText).join(chunks.every((chunk) => typeof chunk === 'string') ? '' : ' ');
}

/** Vectors say nothing to people but how long they are; undefined where that is not known, or it failed. */
function embeddedOutput({ kind, attributes, exchanges }: ShownCrossing): string | undefined {
  const count = attributes.get(ATTR_GEN_AI_EMBEDDINGS_DIMENSION_COUNT);
  const status = exchanges.at(-1)?.response?.status ?? 200;
  return kind === 'embedding' && typeof count === 'number' && status < 300 ? `vectors of ${count} numbers` : undefined;
}

function valuePreview(
  crossing: ShownCrossing,
  outcome: Exclude<Outcome, { type: 'pending' }>,
  charactersMax: number,
): string {
  const output = embeddedOutput(crossing) ?? modelOutput(crossing, charactersMax);
  if (output !== undefined) return output;
  if (crossing.call === 'exchange') return exchangePreview(crossing, charactersMax);
  switch (outcome.type) {
    case 'returned': {
      const { value } = outcome;
      return knownResult(crossing, value, charactersMax) ?? (value === undefined ? NOT_RECORDED : digestPreview(value));
    }
    case 'threw':
      return errorPreview(outcome.error, charactersMax);
    case 'ended':
    case 'failed':
    case 'aborted':
      return valuesThatCame(outcome, charactersMax);
  }
}

/** Of an error that another instrumentation told of, its type is known at most. */
function threwPreview(crossing: ShownCrossing, error: Payload | undefined, charactersMax: number): string {
  if (error !== undefined) return errorPreview(error, charactersMax);
  if (crossing.call === 'exchange') return exchangePreview(crossing, charactersMax);
  const type = crossing.dialect === 'reenact' ? undefined : crossing.attributes.get(ATTR_ERROR_TYPE);
  return typeof type === 'string' ? type : errorPreview(error, charactersMax);
}

/** One line that says what a crossing failed with; empty where it did not. `charactersMax`: as for `inputPreview`. */
export function failurePreview(crossing: ShownCrossing, charactersMax = Number.POSITIVE_INFINITY): string {
  const { outcome } = crossing;
  if (outcome.type === 'threw') return threwPreview(crossing, outcome.error, charactersMax);
  return outcome.type === 'failed' ? `stream failed: ${errorPreview(outcome.error, charactersMax)}` : '';
}

/** Who stopped reading: a client does that itself where the model's provider reports an error inside of a stream. */
function stoppedBy({ kind, attributes }: ShownCrossing): string {
  const reported = kind === 'model' ? attributes.get(ATTR_ERROR_TYPE) : undefined;
  return typeof reported === 'string' ? `✗ stream ended by ${reported}` : 'stream aborted by the agent';
}

/** One line that says what came out. `charactersMax`: as for `inputPreview`. */
export function outcomePreview(crossing: ShownCrossing, charactersMax = Number.POSITIVE_INFINITY): string {
  const { outcome } = crossing;
  switch (outcome.type) {
    case 'pending':
      return pendingPreview(crossing, charactersMax);
    case 'threw':
    case 'failed':
      return `✗ ${failurePreview(crossing, charactersMax)}`;
    case 'aborted':
      return isEntry(crossing)
        ? '(whoever asked left before it was answered)'
        : `${stoppedBy(crossing)}: ${valuePreview(crossing, outcome, charactersMax)}`;
    case 'returned':
    case 'ended':
      return valuePreview(crossing, outcome, charactersMax);
  }
}

function wordsAt(crossing: ShownCrossing, key: string): string[] {
  const value = crossing.attributes.get(key);
  return Array.isArray(value) ? value.filter((word) => typeof word === 'string') : [];
}

/** What a crossing lacks of what its boundary requires, one line each; empty where it lacks nothing. */
export function flagsOf(crossing: ShownCrossing): string[] {
  const missing = wordsAt(crossing, ATTR_REENACT_REQUIRES_MISSING);
  const violations = crossing.attributes.get(ATTR_REENACT_INPUT_VIOLATIONS);
  const invalid = wordsAt(crossing, ATTR_REENACT_INPUT_INVALID);
  const count = typeof violations === 'number' ? violations : 0;
  const unnamed = count > invalid.length ? [`${count - invalid.length} more`] : [];
  return [
    ...(missing.length === 0 ? [] : [`without ${missing.join(', ')}, which the boundary requires`]),
    ...(count === 0 ? [] : [`the input schema refuses: ${[...invalid, ...unnamed].join('; ')}`]),
  ];
}

/** Some instrumentations say of an answer alone which model was asked; the answer to a plain request may not say it, as that of Bedrock. */
function requestedModel({ dialect, kind, attributes }: ShownCrossing): unknown {
  return dialect === 'reenact' && kind !== 'http' ? undefined : attributes.get(ATTR_GEN_AI_REQUEST_MODEL);
}

/** How an error reached nobody, as people call it. */
const uncaughtWords = new Map<unknown, string>([
  ['exception', 'uncaught exception'],
  ['rejection', 'unhandled rejection'],
]);

/** How a replay answered it, what ended its process, model, tokens, attempts and chunks: the facts beside a crossing's name. */
export function crossingFacts(crossing: ShownCrossing): string[] {
  const facts: string[] = [];
  for (const key of [ATTR_REENACT_MODE, ATTR_REENACT_POLICY]) {
    const word = crossing.attributes.get(key);
    if (typeof word === 'string') facts.push(word);
  }
  const uncaught = uncaughtWords.get(crossing.attributes.get(ATTR_REENACT_UNCAUGHT));
  if (uncaught !== undefined) facts.push(uncaught);
  const model = crossing.attributes.get(ATTR_GEN_AI_RESPONSE_MODEL) ?? requestedModel(crossing);
  if (typeof model === 'string') facts.push(model);
  const input = crossing.attributes.get(ATTR_GEN_AI_USAGE_INPUT_TOKENS);
  const output = crossing.attributes.get(ATTR_GEN_AI_USAGE_OUTPUT_TOKENS);
  if (typeof input === 'number' || typeof output === 'number') facts.push(`${input ?? 0}→${output ?? 0} tokens`);
  if (crossing.exchanges.length > 1) facts.push(`${crossing.exchanges.length} attempts`);
  const chunks = crossing.exchanges.at(-1)?.response?.chunks.length ?? 0;
  if (chunks > 1) facts.push(`${chunks} chunks`);
  return facts;
}
