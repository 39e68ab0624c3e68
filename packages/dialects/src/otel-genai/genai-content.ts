import { type PlainValue, type Span, toMap } from '@reenact/otlp';
import {
  ATTR_GEN_AI_COMPLETION,
  ATTR_GEN_AI_INPUT_MESSAGES,
  ATTR_GEN_AI_OUTPUT_MESSAGES,
  ATTR_GEN_AI_PROMPT,
  ATTR_GEN_AI_SYSTEM_INSTRUCTIONS,
  ATTR_GEN_AI_TOOL_DEFINITIONS,
  EVENT_GEN_AI_CLIENT_INFERENCE_OPERATION_DETAILS,
} from '@reenact/semconv/gen-ai';
import { type GenAiMessage, type GenAiPart, genAiMessage, isTree } from '@reenact/trace-model';
import type { Attributes } from '../attributes.ts';
import { GrowingLists } from './growing-lists.ts';
import { messagesOfEvents } from './message-events.ts';

/** What a span and its events say of the content of a model call; a part is absent where it was not captured. */
export interface GenAiContent {
  /** System instructions included, as the first message. */
  readonly input: readonly GenAiMessage[] | undefined;
  /** One per choice. */
  readonly output: readonly GenAiMessage[] | undefined;
  readonly tools: readonly unknown[] | undefined;
}

function parsed(value: PlainValue | undefined): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}

function list(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

/** Instructions are a list of parts by the conventions; some write plain text. */
function instructionsMessage(value: PlainValue | undefined): GenAiMessage[] {
  if (value === undefined || value === null || value === '') return [];
  const tree = parsed(value);
  if (Array.isArray(tree)) {
    const parts = tree.filter((part): part is GenAiPart => isTree(part) && typeof part.type === 'string');
    return parts.length === 0 ? [] : [{ role: 'system', parts }];
  }
  return typeof value === 'string' ? [{ role: 'system', parts: [{ type: 'text', content: value }] }] : [];
}

/** Before 1.28 prompt and completion were JSON text: messages of the provider, alone or inside its request or response. */
function legacyMessages(value: PlainValue | undefined, member: 'messages' | 'choices'): GenAiMessage[] | undefined {
  const tree = parsed(value);
  const messages = list(tree) ?? (isTree(tree) ? list(tree[member]) : undefined);
  return messages?.map((item) => {
    const choice = isTree(item) && isTree(item.message) ? item : undefined;
    if (choice === undefined) return genAiMessage(item);
    return genAiMessage({ role: 'assistant', ...(choice.message as object), finish_reason: choice.finish_reason });
  });
}

const conversations = new GrowingLists(genAiMessage);
const toolLists = new GrowingLists((tool: unknown) => tool);

function conversation(value: PlainValue | undefined): readonly GenAiMessage[] | undefined {
  return typeof value === 'string' ? conversations.read(value) : messages(value);
}

function messages(value: PlainValue | undefined): GenAiMessage[] | undefined {
  return list(parsed(value))?.map(genAiMessage);
}

function tools(value: PlainValue | undefined): readonly unknown[] | undefined {
  return typeof value === 'string' ? toolLists.read(value) : list(value);
}

function contentOf(attributes: Attributes): GenAiContent {
  const instructions = instructionsMessage(attributes.get(ATTR_GEN_AI_SYSTEM_INSTRUCTIONS));
  const input =
    conversation(attributes.get(ATTR_GEN_AI_INPUT_MESSAGES)) ??
    legacyMessages(attributes.get(ATTR_GEN_AI_PROMPT), 'messages');
  const output =
    messages(attributes.get(ATTR_GEN_AI_OUTPUT_MESSAGES)) ??
    legacyMessages(attributes.get(ATTR_GEN_AI_COMPLETION), 'choices');
  return {
    input: input === undefined ? undefined : [...instructions, ...input],
    output,
    tools: tools(attributes.get(ATTR_GEN_AI_TOOL_DEFINITIONS)),
  };
}

function firstOf(contents: readonly GenAiContent[]): GenAiContent {
  return {
    input: contents.find(({ input }) => input !== undefined)?.input,
    output: contents.find(({ output }) => output !== undefined)?.output,
    tools: contents.find(({ tools }) => tools !== undefined)?.tools,
  };
}

/**
 * Reads the content of a model call from wherever its instrumentation put it: span attributes, the details event (as a
 * span event, or a log record joined to the span), the per-message events of 1.36, or prompt and completion of 1.27. What
 * cannot be read counts as not captured.
 */
export function genAiContent(span: Span, attributes: Attributes): GenAiContent {
  const events = (span.events ?? []).map((event) => ({ name: event.name, attributes: toMap(event.attributes) }));
  const details = events.filter(({ name }) => name === EVENT_GEN_AI_CLIENT_INFERENCE_OPERATION_DETAILS);
  const others = events.filter(({ name }) => name !== EVENT_GEN_AI_CLIENT_INFERENCE_OPERATION_DETAILS);
  return firstOf([
    contentOf(attributes),
    ...details.map((event) => contentOf(event.attributes)),
    { ...messagesOfEvents(others), tools: undefined },
    ...others.map((event) => contentOf(event.attributes)),
  ]);
}
