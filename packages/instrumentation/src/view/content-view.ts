import type { Attributes } from '@opentelemetry/api';
import {
  ATTR_GEN_AI_RETRIEVAL_DOCUMENTS,
  ATTR_GEN_AI_RETRIEVAL_QUERY_TEXT,
  ATTR_GEN_AI_TOOL_CALL_ARGUMENTS,
  ATTR_GEN_AI_TOOL_CALL_RESULT,
  ATTR_GEN_AI_TOOL_NAME,
} from '@reenact/semconv/gen-ai';
import {
  type EncodedValue,
  isStringified,
  isTree,
  type PayloadFormat,
  payloadTree,
  StringifiedJson,
} from '@reenact/trace-model';
import type { CrossingFacts } from '../gate/crossing-facts.ts';
import { definedAttributes } from '../gate/span-attributes.ts';
import { CONTENT_VIEW_CHARACTERS_MAX } from '../limits.ts';
import type { ReadInput } from './input-tree.ts';
import { readableTree } from './readable-tree.ts';

function readable(format: PayloadFormat, tree: unknown): unknown {
  return format === 'js' ? readableTree(tree) : tree;
}

/** The exact text is in the recording, whatever its length; nobody reads so much of it twice. */
function isTooLong({ payload: { data } }: EncodedValue): boolean {
  return data !== undefined && data.length > CONTENT_VIEW_CHARACTERS_MAX;
}

/** The value for people. Structured attributes travel as JSON text: the SDK drops objects. */
function treeOf(encoded: EncodedValue | undefined): unknown {
  return encoded === undefined || isTooLong(encoded)
    ? undefined
    : readable(encoded.payload.format, payloadTree(encoded.payload));
}

/** The payload's text where it can be shown as it is: plain JSON of an object. */
function objectText(encoded: EncodedValue | undefined): string | undefined {
  if (encoded === undefined || isTooLong(encoded)) return undefined;
  const { data, format } = encoded.payload;
  return format === 'json' && data?.startsWith('{') === true ? data : undefined;
}

/** The one object that a list holds, as it is written in the list. */
function onlyObjectText({ payload }: EncodedValue): string | undefined {
  const isOne = payload.format === 'json' && isStringified(payload) && StringifiedJson.isOneObject(payload.data);
  return isOne ? payload.data?.slice(1, -1) : undefined;
}

/** The conventions want an object: a single object argument is itself, anything else is listed. */
function argumentsText({ input }: CrossingFacts, readInput: ReadInput): string | undefined {
  if (input === undefined || isTooLong(input)) return undefined;
  const written = onlyObjectText(input);
  if (written !== undefined) return written;
  const { data, format } = input.payload;
  const list = readable(format, readInput());
  if (!Array.isArray(list)) return undefined;
  const [only] = list as unknown[];
  if (list.length !== 1 || !isTree(only)) return JSON.stringify({ arguments: list });
  // The text between the brackets is the text of the one object.
  const isAsWritten = format === 'json' && data?.startsWith('[{') === true && data.endsWith('}]');
  return isAsWritten ? data.slice(1, -1) : JSON.stringify(only);
}

function chunksShown(chunks: NonNullable<CrossingFacts['outcome']['chunks']>): string | undefined {
  const characters = chunks.reduce((sum, { value }) => sum + (value.payload.data?.length ?? 0), 0);
  if (characters > CONTENT_VIEW_CHARACTERS_MAX) return undefined;
  return JSON.stringify({ chunks: chunks.map(({ value }) => treeOf(value)) });
}

function resultText({ outcome }: CrossingFacts): string | undefined {
  if (outcome.chunks !== undefined) return chunksShown(outcome.chunks);
  const shown = objectText(outcome.value);
  if (shown !== undefined) return shown;
  const result = treeOf(outcome.value);
  return result === undefined ? undefined : JSON.stringify(isTree(result) ? result : { result });
}

function queryText({ input }: CrossingFacts, readInput: ReadInput): string | undefined {
  const list = input === undefined || isTooLong(input) ? undefined : readable(input.payload.format, readInput());
  const [first] = Array.isArray(list) ? (list as unknown[]) : [];
  const query = isTree(first) ? first.query : first;
  return typeof query === 'string' ? query : undefined;
}

/** A list of documents as it is, or the first member that is such a list; each document is an object. */
function documentsText({ outcome }: CrossingFacts): string | undefined {
  const result = treeOf(outcome.value);
  const list = isTree(result) ? Object.values(result).find(Array.isArray) : result;
  if (!Array.isArray(list)) return undefined;
  return JSON.stringify(list.map((item: unknown) => (isTree(item) ? item : { content: item })));
}

function toolView(facts: CrossingFacts, readInput: ReadInput): Attributes {
  return definedAttributes({
    [ATTR_GEN_AI_TOOL_CALL_ARGUMENTS]: argumentsText(facts, readInput),
    [ATTR_GEN_AI_TOOL_CALL_RESULT]: resultText(facts),
  });
}

/**
 * The content attributes that the GenAI conventions give a wrapped function of this kind, made from the payloads. Called
 * when the recording is exported, off the host's path. Empty for kinds whose instrumentation describes its own content.
 */
export function contentView(facts: CrossingFacts, readInput: ReadInput): Attributes {
  switch (facts.boundary.kind) {
    case 'mcp':
      // Of the many methods of the protocol, one calls a tool.
      return ATTR_GEN_AI_TOOL_NAME in facts.slim ? toolView(facts, readInput) : {};
    case 'tool':
      return toolView(facts, readInput);
    case 'retrieval':
      return definedAttributes({
        [ATTR_GEN_AI_RETRIEVAL_QUERY_TEXT]: queryText(facts, readInput),
        [ATTR_GEN_AI_RETRIEVAL_DOCUMENTS]: documentsText(facts),
      });
    case 'agent':
    case 'model':
    case 'embedding':
    case 'memory':
    case 'guardrail':
    case 'verify':
    case 'approval':
    case 'database':
    case 'http':
    case 'rpc':
    case 'message':
    case 'file':
    case 'environment':
    case 'screen':
    case 'clock':
    case 'random':
    case 'function':
      return {};
  }
}
