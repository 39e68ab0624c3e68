import type { KeyValue, PlainValue, Span, TracesData } from '@reenact/otlp';
import {
  ATTR_GEN_AI_INPUT_MESSAGES,
  ATTR_GEN_AI_OUTPUT_MESSAGES,
  ATTR_GEN_AI_SYSTEM_INSTRUCTIONS,
  ATTR_GEN_AI_TOOL_CALL_ARGUMENTS,
  ATTR_GEN_AI_TOOL_CALL_RESULT,
  ATTR_GEN_AI_TOOL_DEFINITIONS,
} from '@reenact/semconv/gen-ai';
import { ATTR_REENACT_SCHEMA } from '@reenact/semconv/reenact';
import { isTree } from '@reenact/trace-model';
import type { Attributes } from './attributes.ts';
import { type GenAiContent, genAiContent } from './otel-genai/genai-content.ts';
import { semconvAttributes } from './semconv-attributes.ts';
import { parsedJson } from './translation.ts';

/** What a translation says of content in one attribute. */
const translatedKeys = [
  ATTR_GEN_AI_SYSTEM_INSTRUCTIONS,
  ATTR_GEN_AI_TOOL_CALL_ARGUMENTS,
  ATTR_GEN_AI_TOOL_CALL_RESULT,
  ATTR_GEN_AI_TOOL_DEFINITIONS,
];

/** Whether it is a list of messages in the form that the conventions have now. */
function areMessages(value: PlainValue | undefined): boolean {
  const tree = parsedJson(value);
  return Array.isArray(tree) && tree.every((item) => isTree(item) && Array.isArray(item.parts));
}

function messagesOf(attributes: Attributes, key: string, read: GenAiContent['input']): string | undefined {
  const said = attributes.get(key);
  if (typeof said === 'string' && areMessages(said)) return said;
  if (read === undefined || read.length === 0) return undefined;
  // Of a form that nobody knows nothing was read but how many there are, behind the instructions, which stand elsewhere.
  const isInstructed = attributes.has(ATTR_GEN_AI_SYSTEM_INSTRUCTIONS);
  const isRead = read.some(({ role, parts }) => parts.length > 0 && !(isInstructed && role === 'system'));
  if (!isRead && said !== undefined) return undefined;
  return JSON.stringify(read);
}

/** The content of one call by the keys of the conventions. */
function saidOf(span: Span, attributes: Attributes): Map<string, string> {
  const content = genAiContent(span, attributes);
  const input = messagesOf(attributes, ATTR_GEN_AI_INPUT_MESSAGES, content.input);
  const output = messagesOf(attributes, ATTR_GEN_AI_OUTPUT_MESSAGES, content.output);
  const tools = content.tools === undefined ? undefined : JSON.stringify(content.tools);
  const said = new Map<string, string>();
  for (const key of translatedKeys) {
    const value = attributes.get(key);
    if (typeof value === 'string') said.set(key, value);
  }
  // What was read anew begins with the instructions.
  if (input !== undefined && input !== attributes.get(ATTR_GEN_AI_INPUT_MESSAGES)) {
    said.delete(ATTR_GEN_AI_SYSTEM_INSTRUCTIONS);
  }
  if (input !== undefined) said.set(ATTR_GEN_AI_INPUT_MESSAGES, input);
  if (output !== undefined) said.set(ATTR_GEN_AI_OUTPUT_MESSAGES, output);
  if (tools !== undefined && !said.has(ATTR_GEN_AI_TOOL_DEFINITIONS)) said.set(ATTR_GEN_AI_TOOL_DEFINITIONS, tools);
  return said;
}

function withSaid(span: Span): Span {
  const own = span.attributes ?? [];
  if (own.some(({ key }) => key === ATTR_REENACT_SCHEMA)) return span;
  try {
    const said = saidOf(span, semconvAttributes(span));
    const added = [...said].map(([key, stringValue]): KeyValue => ({ key, value: { stringValue } }));
    const replaced = new Set([...said.keys(), ATTR_GEN_AI_SYSTEM_INSTRUCTIONS]);
    return { ...span, attributes: [...own.filter(({ key }) => !replaced.has(key)), ...added] };
  } catch (thrown) {
    // Nested too deep to be written again: it stands as it came.
    if (thrown instanceof RangeError) return span;
    throw thrown;
  }
}

/**
 * Telemetry whose spans say what was said in the attributes that the conventions have for it, wherever it stood: in another vocabulary, in
 * events, or as earlier conventions had it. Spans that Reenact recorded hold their own payload and are left alone.
 */
export function withSaidContent(data: TracesData): TracesData {
  return {
    resourceSpans: data.resourceSpans.map((group) => ({
      ...group,
      scopeSpans: group.scopeSpans.map((scope) => ({ ...scope, spans: scope.spans.map(withSaid) })),
    })),
  };
}
