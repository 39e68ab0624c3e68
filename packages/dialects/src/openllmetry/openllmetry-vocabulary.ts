import type { PlainValue } from '@reenact/otlp';
import * as keys from '@reenact/semconv/gen-ai';
import { finishReason, type GenAiMessage, type GenAiPart, genAiMessage, isTree } from '@reenact/trace-model';
import type { Attributes } from '../attributes.ts';
import { flattened } from '../flattened.ts';
import { langChainAnswer } from '../langchain-messages.ts';
import { providerName } from '../provider-names.ts';
import { parsedJson, type Translation, textOf } from '../translation.ts';
import type { Vocabulary } from '../vocabulary.ts';
import { addWhoAsks } from '../who-asks.ts';

const PROMPT = keys.ATTR_GEN_AI_PROMPT;
const COMPLETION = keys.ATTR_GEN_AI_COMPLETION;
const REQUEST_TYPE = 'llm.request.type';
const SPAN_KIND = 'traceloop.span.kind';
const PROPERTIES = 'traceloop.association.properties';

const operationOfType: ReadonlyMap<string, string> = new Map([
  ['chat', 'chat'],
  ['completion', 'text_completion'],
  ['embedding', 'embeddings'],
  ['rerank', 'rerank'],
]);

/** A task is any function: nothing that the conventions have a word for. */
const operationOfKind: ReadonlyMap<string, string> = new Map([
  ['workflow', 'invoke_workflow'],
  ['agent', 'invoke_agent'],
  ['tool', 'execute_tool'],
]);

/** How the key was written before the conventions had it: `….cache_read_input_tokens`. */
function joined(key: string): string {
  return key.replace(/\.input_tokens$/, '_input_tokens');
}

const numbers: readonly (readonly [key: string, sources: readonly string[]])[] = [
  [keys.ATTR_GEN_AI_REQUEST_TOP_K, ['llm.top_k']],
  [keys.ATTR_GEN_AI_REQUEST_FREQUENCY_PENALTY, ['llm.frequency_penalty']],
  [keys.ATTR_GEN_AI_REQUEST_PRESENCE_PENALTY, ['llm.presence_penalty']],
  [keys.ATTR_GEN_AI_USAGE_INPUT_TOKENS, [keys.ATTR_GEN_AI_USAGE_PROMPT_TOKENS, 'llm.usage.prompt_tokens']],
  [keys.ATTR_GEN_AI_USAGE_OUTPUT_TOKENS, [keys.ATTR_GEN_AI_USAGE_COMPLETION_TOKENS, 'llm.usage.completion_tokens']],
  [keys.ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS, [joined(keys.ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS)]],
  [keys.ATTR_GEN_AI_USAGE_CACHE_CREATION_INPUT_TOKENS, [joined(keys.ATTR_GEN_AI_USAGE_CACHE_CREATION_INPUT_TOKENS)]],
  [
    keys.ATTR_GEN_AI_USAGE_REASONING_OUTPUT_TOKENS,
    [keys.ATTR_GEN_AI_USAGE_REASONING_TOKENS, 'llm.usage.reasoning_tokens'],
  ],
];

function callPart(call: Attributes): GenAiPart {
  const id = textOf(call.get('id')) ?? null;
  return { type: 'tool_call', id, name: textOf(call.get('name')) ?? '', arguments: call.get('arguments') ?? null };
}

/** Several parts of one message stand there as JSON. */
function contentOf(fields: Attributes): unknown {
  const content = fields.get('content');
  const isList = typeof content === 'string' && /^\s*\[\s*\{\s*"/.test(content);
  const parts = isList ? parsedJson(content) : undefined;
  const areParts = Array.isArray(parts) && parts.every((part) => isTree(part) && typeof part.type === 'string');
  return areParts ? parts : content;
}

function messageOf(fields: Attributes, roleByDefault: string): GenAiMessage {
  const role = textOf(fields.get('role')) ?? roleByDefault;
  const reason = textOf(fields.get('finish_reason'));
  const { parts, ...message } = genAiMessage({
    role,
    content: contentOf(fields),
    tool_call_id: fields.get('tool_call_id'),
    refusal: fields.get('refusal'),
    ...(reason === undefined ? {} : { finish_reason: finishReason(reason) }),
  });
  const calls = flattened(fields, 'tool_calls').items.map(callPart);
  const called = textOf(fields.get('function_call.name'));
  const callArguments = fields.get('function_call.arguments') ?? null;
  const legacyCall: GenAiPart[] =
    called === undefined ? [] : [{ type: 'tool_call', id: null, name: called, arguments: callArguments }];
  return { ...message, parts: [...parts, ...calls, ...legacyCall] };
}

/** Of an answer that said nothing, only how it ended is known where content was not captured. */
function messagesOf(attributes: Attributes, prefix: string, role: string): GenAiMessage[] {
  const messages = flattened(attributes, prefix).items.map((item) => messageOf(item, role));
  return messages.some(({ parts }) => parts.length > 0) ? messages : [];
}

function toolOf(tool: Attributes): Record<string, unknown> {
  // Older instrumentations for Node.js wrote what a tool takes as its arguments.
  const parameters = parsedJson(tool.get('parameters') ?? tool.get('arguments'));
  const description = textOf(tool.get('description'));
  return {
    type: 'function',
    name: textOf(tool.get('name')) ?? '',
    ...(description === undefined ? {} : { description }),
    ...(isTree(parameters) ? { parameters } : {}),
  };
}

function addModelCall(translation: Translation): void {
  const { attributes } = translation;
  for (const [key, sources] of numbers) translation.addNumber(key, translation.get(...sources));
  if (translation.get('llm.is_streaming', keys.ATTR_GEN_AI_IS_STREAMING) === true)
    translation.add(keys.ATTR_GEN_AI_REQUEST_STREAM, true);
  translation.add(keys.ATTR_GEN_AI_REQUEST_STOP_SEQUENCES, translation.get('llm.chat.stop_sequences'));
  const tools = flattened(attributes, 'llm.request.functions').items.map(toolOf);
  if (tools.length > 0) translation.addJson(keys.ATTR_GEN_AI_TOOL_DEFINITIONS, tools);
  const output = messagesOf(attributes, COMPLETION, 'assistant');
  translation.addMessages(keys.ATTR_GEN_AI_INPUT_MESSAGES, messagesOf(attributes, PROMPT, 'user'));
  translation.addMessages(keys.ATTR_GEN_AI_OUTPUT_MESSAGES, output);
  const reasons = flattened(attributes, COMPLETION).items.flatMap((item) => textOf(item.get('finish_reason')) ?? []);
  if (reasons.length > 0) translation.add(keys.ATTR_GEN_AI_RESPONSE_FINISH_REASONS, reasons.map(finishReason));
}

/** What a function was given: its arguments by name, or the only one; decorators and LangChain's tools write both lists. */
function givenTo(value: PlainValue | undefined): PlainValue | undefined {
  const given = parsedJson(value);
  if (!isTree(given) || !Array.isArray(given.args)) return value;
  const { args, kwargs = {} } = given;
  if (isTree(kwargs) && Object.keys(kwargs).length > 0) return args.length === 0 ? JSON.stringify(kwargs) : value;
  const [only, ...others] = args;
  return typeof only === 'string' && others.length === 0 ? only : value;
}

/** A text that was written as JSON is the text. */
function readable(value: PlainValue | undefined): PlainValue | undefined {
  const text = typeof value === 'string' && value.startsWith('"') ? parsedJson(value) : undefined;
  return typeof text === 'string' ? text : value;
}

function addTool(translation: Translation): void {
  const answered = translation.get('traceloop.entity.output');
  const isMessage = typeof answered === 'string' && answered.includes('"tool_call_id"');
  const answer = isMessage ? langChainAnswer(parsedJson(answered)) : undefined;
  translation.addText(keys.ATTR_GEN_AI_TOOL_NAME, answer?.toolName ?? translation.text('traceloop.entity.name'));
  translation.addText(keys.ATTR_GEN_AI_TOOL_CALL_ID, answer?.toolCallId);
  translation.add(keys.ATTR_GEN_AI_TOOL_CALL_ARGUMENTS, givenTo(translation.get('traceloop.entity.input')));
  const content = typeof answer?.content === 'string' ? answer.content : readable(answered);
  translation.add(keys.ATTR_GEN_AI_TOOL_CALL_RESULT, content);
}

function addFunction(translation: Translation): void {
  const name = translation.text('traceloop.entity.name');
  const asked = givenTo(translation.get('traceloop.entity.input'));
  const answered = readable(translation.get('traceloop.entity.output'));
  translation.addText(keys.ATTR_GEN_AI_AGENT_NAME, name ?? translation.get('traceloop.workflow.name'));
  const said = (content: unknown, role: string) =>
    typeof content === 'string' && content !== '' ? [{ role, parts: [{ type: 'text', content }] }] : [];
  translation.addMessages(keys.ATTR_GEN_AI_INPUT_MESSAGES, said(asked, 'user'));
  translation.addMessages(keys.ATTR_GEN_AI_OUTPUT_MESSAGES, said(answered, 'assistant'));
}

/** Which operation a span is of. Its Node.js instrumentation of LangChain calls tools tasks, and every step of a chain a `workflow`: that is none. */
function operationOf(translation: Translation): string | undefined {
  const { attributes } = translation;
  const said = translation.text(keys.ATTR_GEN_AI_OPERATION_NAME);
  const hasMessages = attributes.has(`${PROMPT}.0.role`) || attributes.has(`${COMPLETION}.0.role`);
  return (
    operationOfType.get(translation.text(REQUEST_TYPE) ?? '') ??
    said ??
    operationOfKind.get(translation.text(SPAN_KIND) ?? '') ??
    (hasMessages ? 'chat' : undefined)
  );
}

/** Traceloop's OpenLLMetry: its SDK's `traceloop.*`, and what its instrumentations wrote before they took the conventions' words. */
export const openLlmetry: Vocabulary = {
  name: 'openllmetry',
  scopes: ['@traceloop/', 'traceloop.'],
  captureSetting: 'Set TRACELOOP_TRACE_CONTENT=true, or leave it unset, where the agent runs.',
  knows: (attributes) =>
    attributes.has(REQUEST_TYPE) ||
    attributes.has(SPAN_KIND) ||
    attributes.has('traceloop.workflow.name') ||
    attributes.has(keys.ATTR_GEN_AI_IS_STREAMING) ||
    attributes.has(`${PROMPT}.0.role`) ||
    attributes.has(`${PROMPT}.0.content`) ||
    attributes.has(`${COMPLETION}.0.role`) ||
    attributes.has(`${COMPLETION}.0.content`),
  lackOf: (attributes) =>
    flattened(attributes, PROMPT).isWhole && flattened(attributes, COMPLETION).isWhole
      ? undefined
      : 'messages are missing',
  translate(translation) {
    const system = translation.text(keys.ATTR_GEN_AI_SYSTEM);
    if (system !== undefined) {
      translation.replace(keys.ATTR_GEN_AI_SYSTEM, providerName(system));
      translation.add(keys.ATTR_GEN_AI_PROVIDER_NAME, providerName(system));
    }
    const operation = operationOf(translation);
    translation.add(keys.ATTR_GEN_AI_OPERATION_NAME, operation);
    if (operation === 'execute_tool') addTool(translation);
    else if (operation?.startsWith('invoke_') === true) addFunction(translation);
    else if (operation !== undefined) addModelCall(translation);
    addWhoAsks(translation, (name) => translation.get(`${PROPERTIES}.${name}`));
  },
};
