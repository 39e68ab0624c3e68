import type { Attributes } from '@opentelemetry/api';
import {
  ATTR_GEN_AI_RETRIEVAL_DOCUMENTS,
  ATTR_GEN_AI_RETRIEVAL_QUERY_TEXT,
  ATTR_GEN_AI_TOOL_CALL_ARGUMENTS,
  ATTR_GEN_AI_TOOL_CALL_RESULT,
  ATTR_GEN_AI_TOOL_NAME,
} from '@reenact/semconv/gen-ai';
import { type EncodedValue, isTree, payloadTree } from '@reenact/trace-model';
import type { CrossingFacts } from './crossing-facts.ts';
import { readableTree } from './readable-tree.ts';
import { definedAttributes } from './span-attributes.ts';

/** The value for people. Structured attributes travel as JSON text: the SDK drops objects. */
function treeOf(encoded: EncodedValue | undefined): unknown {
  if (encoded === undefined) return undefined;
  const tree = payloadTree(encoded.payload);
  return encoded.payload.format === 'js' ? readableTree(tree) : tree;
}

/** The payload's text where it can be shown as it is: plain JSON of an object. */
function objectText(encoded: EncodedValue | undefined): string | undefined {
  const { data, format } = encoded?.payload ?? {};
  return format === 'json' && data?.startsWith('{') === true ? data : undefined;
}

/** The conventions want an object: a single object argument is itself, anything else is listed. */
function argumentsText(facts: CrossingFacts): string | undefined {
  const list = treeOf(facts.input);
  if (!Array.isArray(list)) return undefined;
  return JSON.stringify(list.length === 1 && isTree(list[0]) ? list[0] : { arguments: list });
}

function resultText({ outcome }: CrossingFacts): string | undefined {
  if (outcome.chunks !== undefined) return JSON.stringify({ chunks: outcome.chunks.map(({ value }) => treeOf(value)) });
  const shown = objectText(outcome.value);
  if (shown !== undefined) return shown;
  const result = treeOf(outcome.value);
  return result === undefined ? undefined : JSON.stringify(isTree(result) ? result : { result });
}

function queryText(facts: CrossingFacts): string | undefined {
  const list = treeOf(facts.input);
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

function toolView(facts: CrossingFacts): Attributes {
  return definedAttributes({
    [ATTR_GEN_AI_TOOL_CALL_ARGUMENTS]: argumentsText(facts),
    [ATTR_GEN_AI_TOOL_CALL_RESULT]: resultText(facts),
  });
}

/**
 * The content attributes that the GenAI conventions give a wrapped function of this kind, made from the payloads. Called
 * when the recording is exported, off the host's path. Empty for kinds whose instrumentation describes its own content.
 */
export function contentView(facts: CrossingFacts): Attributes {
  switch (facts.boundary.kind) {
    case 'mcp':
      // Of the many methods of the protocol, one calls a tool.
      return ATTR_GEN_AI_TOOL_NAME in facts.slim ? toolView(facts) : {};
    case 'tool':
      return toolView(facts);
    case 'retrieval':
      return definedAttributes({
        [ATTR_GEN_AI_RETRIEVAL_QUERY_TEXT]: queryText(facts),
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
