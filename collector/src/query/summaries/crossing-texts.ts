import { hash } from 'node:crypto';
import { toMap } from '@reenact/otlp';
import { ATTR_EXCEPTION_MESSAGE } from '@reenact/semconv/core';
import {
  ATTR_GEN_AI_INPUT_MESSAGES,
  ATTR_GEN_AI_OUTPUT_MESSAGES,
  ATTR_GEN_AI_RETRIEVAL_DOCUMENTS,
  ATTR_GEN_AI_RETRIEVAL_QUERY_TEXT,
  ATTR_GEN_AI_SYSTEM_INSTRUCTIONS,
  ATTR_GEN_AI_TOOL_CALL_ARGUMENTS,
  ATTR_GEN_AI_TOOL_CALL_RESULT,
} from '@reenact/semconv/gen-ai';
import { hasContent, isJson, isTree, JsonWalk, type Payload, sharedTreeOf } from '@reenact/trace-model';
import type { TextPart } from '@reenact/trace-model/collector-api';
import type { CrossingText } from '../../store/store.ts';
import {
  CROSSING_TEXT_CHARACTERS_MAX,
  RUN_TEXT_CHARACTERS_MAX,
  SCANNED_CHARACTERS_MIN,
  UNBROKEN_CHARACTERS_MAX,
} from '../limits.ts';
import type { ReadCrossing, ReadSpan } from '../traces/read-span.ts';
import { copiedStart } from './copied-start.ts';
import { payloadTreeOf } from './payload-tree-of.ts';

const ASKED = [
  ATTR_GEN_AI_SYSTEM_INSTRUCTIONS,
  ATTR_GEN_AI_INPUT_MESSAGES,
  ATTR_GEN_AI_TOOL_CALL_ARGUMENTS,
  ATTR_GEN_AI_RETRIEVAL_QUERY_TEXT,
];

const ANSWERED = [ATTR_GEN_AI_TOOL_CALL_RESULT, ATTR_GEN_AI_RETRIEVAL_DOCUMENTS];

/** Longer pieces are remembered by their digest, which takes longer than to remember them and holds less memory. */
const REMEMBERED_CHARACTERS_MAX = 64 * 1024;

/**
 * Gathers what can be searched of a run: inputs, outputs, messages and errors, as far as the limits allow, and each piece once, since every
 * step of an agent sends the whole conversation again. It holds on to nothing of a crossing but these texts.
 */
export class TextCollector {
  readonly texts: CrossingText[] = [];
  private readonly seen = new Set<string>();
  /** Members of lists in rebuilt calls of which every piece was seen. */
  private readonly walked = new WeakSet<object>();
  private left = RUN_TEXT_CHARACTERS_MAX;

  addCrossing(crossing: ReadCrossing): void {
    const { spanId, outcome } = crossing;
    this.add(spanId, 'input', inputTexts(crossing, this.walked));
    this.add(spanId, 'output', outputTexts(crossing));
    if (outcome.type === 'threw' || outcome.type === 'failed') this.add(spanId, 'error', errorTexts(outcome.error));
  }

  addStatus(span: ReadSpan): void {
    this.add(span.span.spanId, 'error', statusTexts(span));
  }

  private add(spanId: string, part: TextPart, pieces: Iterable<string>): void {
    const room = Math.min(CROSSING_TEXT_CHARACTERS_MAX, this.left);
    // Nothing more is read: that alone parses what was said.
    if (room <= 0) return;
    const fresh: string[] = [];
    let length = 0;
    for (const piece of untilTooDeep(pieces)) {
      if (length >= room) break;
      if (piece === '' || isData(piece)) continue;
      const key = piece.length > REMEMBERED_CHARACTERS_MAX ? digest(piece) : piece;
      if (this.seen.has(key)) continue;
      this.seen.add(key);
      fresh.push(copiedStart(piece, room - length));
      length += piece.length + 1;
    }
    if (fresh.length === 0) return;
    const text = fresh.join('\n');
    this.left -= text.length;
    this.texts.push({ spanId, part, text });
  }
}

/** As far as it can be walked through: nesting beyond the stack ends it, and what came before can be searched. */
function* untilTooDeep(pieces: Iterable<string>): Generator<string> {
  try {
    yield* pieces;
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
  }
}

function digest(text: string): string {
  return hash('sha256', text, 'base64');
}

/** Pictures and keys are no words. */
function isData(piece: string): boolean {
  return piece.length > UNBROKEN_CHARACTERS_MAX && !/\s/.test(piece.slice(0, UNBROKEN_CHARACTERS_MAX));
}

/** What a payload holds for `undefined`, as of each call of a model by a client library, which is no word that was said. */
function isUndefined(tree: object): boolean {
  return Reflect.get(tree, '$') === 'undefined' && Object.keys(tree).length === 1;
}

/** The texts and numbers in a tree, in order; what a member is called is no content. JSON in a text is read as well. */
function* leavesOf(value: unknown): Generator<string> {
  if (typeof value === 'string') {
    yield* textLeaves(value);
  } else if (typeof value === 'number') yield String(value);
  else if (Array.isArray(value)) for (const member of value) yield* leavesOf(member);
  else if (isTree(value) && !isUndefined(value)) for (const member of Object.values(value)) yield* leavesOf(member);
}

/** The same of a rebuilt call, without the members of its lists that were walked through to their end: steps of a conversation share their messages. */
function* freshLeavesOf(call: object, walked: WeakSet<object>): Generator<string> {
  for (const member of Object.values(call)) {
    for (const item of Array.isArray(member) ? member : [member]) {
      if (isTree(item) && walked.has(item)) continue;
      yield* leavesOf(item);
      if (isTree(item)) walked.add(item);
    }
  }
}

function* textLeaves(text: string): Generator<string> {
  const isPerhapsJson = /^\s*[{[]/.test(text);
  if (isPerhapsJson && text.length >= SCANNED_CHARACTERS_MIN && isJson(text)) return yield* scannedLeaves(text);
  const inner = isPerhapsJson && text.length < SCANNED_CHARACTERS_MIN ? parsed(text) : undefined;
  if (typeof inner === 'object' && inner !== null) yield* leavesOf(inner);
  else yield text;
}

/** The same of a large JSON text, which is looked through only as far as somebody asks: of most of it nobody does. */
function* scannedLeaves(json: string): Generator<string> {
  const walk = new JsonWalk(json, 0);
  while (walk.next()) {
    const scalar = walk.end > walk.start ? parsed(json.slice(walk.start, walk.end)) : undefined;
    yield* leavesOf(scalar);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function* payloadTexts(payload: Payload | undefined): Generator<string> {
  if (payload === undefined || payload.format === 'base64') return;
  const shared = sharedTreeOf(payload);
  if (shared !== undefined) return yield* leavesOf(shared);
  if (payload.data === undefined) return;
  if (payload.format === 'text') yield payload.data;
  else if (payload.data.length >= SCANNED_CHARACTERS_MIN) yield* scannedLeaves(payload.data);
  else yield* leavesOf(treeOf(payload));
}

/** Undefined where the text of a payload is not what it says. */
function treeOf(payload: Payload): unknown {
  try {
    return payloadTreeOf(payload);
  } catch {
    return undefined;
  }
}

function* errorTexts(payload: Payload | undefined): Generator<string> {
  const tree = payload?.data === undefined ? undefined : parsed(payload.data);
  const record = isTree(tree) && isTree(tree.record) ? tree.record : undefined;
  // Its stack names every file on the way: nobody looks for that.
  if (record !== undefined) yield* leavesOf([record.class, record.message, record.fields]);
  else yield* payloadTexts(payload);
}

/** What another instrumentation recorded has no payload, but for a model call that it told all of; what was asked stands in its attributes. */
function* inputTexts({ input, attributes }: ReadCrossing, walked: WeakSet<object>): Generator<string> {
  const shared = input === undefined ? undefined : sharedTreeOf(input);
  if (shared !== undefined) yield* freshLeavesOf(shared, walked);
  else if (input !== undefined && hasContent(input)) yield* payloadTexts(input);
  else for (const key of ASKED) yield* leavesOf(attributes.get(key));
}

function* outputTexts(crossing: ReadCrossing): Generator<string> {
  const { outcome } = crossing;
  const said = crossing.attributes.get(ATTR_GEN_AI_OUTPUT_MESSAGES);
  if (typeof said === 'string') yield* leavesOf(parsed(said));
  if (outcome.type === 'returned' || outcome.type === 'ended') {
    if (outcome.value !== undefined) yield* payloadTexts(outcome.value);
    else for (const key of ANSWERED) yield* leavesOf(crossing.attributes.get(key));
  }
  if (typeof said === 'string' || !('chunks' in outcome)) return;
  // A stream of pieces of text is one text; of anything else, the texts in it.
  const chunks = outcome.chunks.map(({ value }) => [...payloadTexts(value)]);
  yield chunks.flat().join('');
}

function* statusTexts({ span }: ReadSpan): Generator<string> {
  if (span.status?.message !== undefined) yield span.status.message;
  for (const event of span.events ?? []) {
    const message = toMap(event.attributes).get(ATTR_EXCEPTION_MESSAGE);
    if (typeof message === 'string') yield message;
  }
}

/** What can be searched of a run that is held whole. */
export function crossingTexts(crossings: readonly ReadCrossing[], spans: readonly ReadSpan[]): CrossingText[] {
  const collector = new TextCollector();
  for (const crossing of crossings) collector.addCrossing(crossing);
  for (const span of spans) collector.addStatus(span);
  return collector.texts;
}
