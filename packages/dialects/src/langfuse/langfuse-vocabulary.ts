import { ATTR_ERROR_TYPE } from '@reenact/semconv/core';
import * as keys from '@reenact/semconv/gen-ai';
import { type GenAiMessage, genAiMessage, isTree } from '@reenact/trace-model';
import { langChainAnswer, langChainMessage } from '../langchain-messages.ts';
import { providerName } from '../provider-names.ts';
import { requestParameters } from '../request-parameters.ts';
import { parsedJson, type Translation, textOf } from '../translation.ts';
import type { Vocabulary } from '../vocabulary.ts';
import { addWhoAsks } from '../who-asks.ts';

const TYPE = 'langfuse.observation.type';
const INPUT = 'langfuse.observation.input';
const OUTPUT = 'langfuse.observation.output';
const METADATA = 'langfuse.observation.metadata';

/** The conventions' word for an error of no known class. */
const OTHER_ERROR = '_OTHER';

/** A span, a chain or an evaluation is any step: nothing that the conventions have a word for. */
const operationOfType: ReadonlyMap<string, string> = new Map([
  ['generation', 'chat'],
  ['embedding', 'embeddings'],
  ['tool', 'execute_tool'],
  ['agent', 'invoke_agent'],
  ['retriever', 'retrieval'],
]);

const usage: Readonly<Record<string, string>> = {
  input: keys.ATTR_GEN_AI_USAGE_INPUT_TOKENS,
  input_tokens: keys.ATTR_GEN_AI_USAGE_INPUT_TOKENS,
  prompt_tokens: keys.ATTR_GEN_AI_USAGE_INPUT_TOKENS,
  output: keys.ATTR_GEN_AI_USAGE_OUTPUT_TOKENS,
  output_tokens: keys.ATTR_GEN_AI_USAGE_OUTPUT_TOKENS,
  completion_tokens: keys.ATTR_GEN_AI_USAGE_OUTPUT_TOKENS,
  input_cached_tokens: keys.ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS,
  input_cache_read: keys.ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS,
  cache_read_input_tokens: keys.ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS,
  cache_creation_input_tokens: keys.ATTR_GEN_AI_USAGE_CACHE_CREATION_INPUT_TOKENS,
  output_reasoning_tokens: keys.ATTR_GEN_AI_USAGE_REASONING_OUTPUT_TOKENS,
  output_reasoning: keys.ATTR_GEN_AI_USAGE_REASONING_OUTPUT_TOKENS,
};

function messageOf(value: unknown, role: string): GenAiMessage | undefined {
  const message = langChainMessage(value);
  if (message !== undefined) return message;
  const isMessage =
    isTree(value) && ('content' in value || 'parts' in value || 'tool_calls' in value || 'refusal' in value);
  return isMessage ? genAiMessage({ role, ...value }) : undefined;
}

/** What the application gave Langfuse: the request's own messages, a list of them, one, or a text. Of anything else nothing is said. */
function messagesOf(given: unknown, role: string): GenAiMessage[] {
  if (typeof given === 'string') return given === '' ? [] : [{ role, parts: [{ type: 'text', content: given }] }];
  const listed = isTree(given) && Array.isArray(given.messages) ? given.messages : given;
  const values: readonly unknown[] = Array.isArray(listed) ? listed : [listed];
  const messages = values.flatMap((value) => messageOf(value, role) ?? []);
  return messages.length === values.length ? withToolAnswers(messages) : [];
}

const knownRoles: ReadonlySet<string> = new Set(['system', 'developer', 'user', 'assistant', 'tool']);

/** Its handler for LangChain.js gives what a tool answered the name of the tool as its role, and not which call it answers: the first of that name. */
function withToolAnswers(messages: readonly GenAiMessage[]): GenAiMessage[] {
  const open: GenAiMessage['parts'][number][] = [];
  return messages.map((message) => {
    open.push(...message.parts.filter(({ type }) => type === 'tool_call'));
    if (knownRoles.has(message.role)) return message;
    const index = open.findIndex(({ name }) => name === message.role);
    const [call] = index === -1 ? [] : open.splice(index, 1);
    if (call === undefined) return message;
    const response = message.parts.map(({ content }) => textOf(content) ?? '').join('');
    return { role: 'tool', parts: [{ type: 'tool_call_response', id: call.id ?? null, response }] };
  });
}

/** Text is written as it is, everything else as JSON. */
function written(translation: Translation, key: string): unknown {
  const value = translation.get(key);
  return parsedJson(value) ?? value;
}

function addMessages(translation: Translation): void {
  const [asked, answered] = [written(translation, INPUT), written(translation, OUTPUT)];
  translation.addMessages(keys.ATTR_GEN_AI_INPUT_MESSAGES, messagesOf(asked, 'user'));
  translation.addMessages(keys.ATTR_GEN_AI_OUTPUT_MESSAGES, messagesOf(answered, 'assistant'));
}

/** An agent takes and gives anything: what is no message is shown as it stands. */
function addAgent(translation: Translation): void {
  addMessages(translation);
  const [asked, answered] = [translation.text(INPUT), translation.text(OUTPUT)];
  if (asked !== undefined) translation.addMessages(keys.ATTR_GEN_AI_INPUT_MESSAGES, messagesOf(asked, 'user'));
  if (answered !== undefined)
    translation.addMessages(keys.ATTR_GEN_AI_OUTPUT_MESSAGES, messagesOf(answered, 'assistant'));
}

function addTool(translation: Translation, name: string): void {
  const result = translation.get(OUTPUT);
  const answer = langChainAnswer(parsedJson(result));
  translation.add(keys.ATTR_GEN_AI_TOOL_NAME, name);
  translation.addText(keys.ATTR_GEN_AI_TOOL_CALL_ID, answer?.toolCallId);
  translation.add(keys.ATTR_GEN_AI_TOOL_CALL_ARGUMENTS, translation.get(INPUT));
  translation.add(keys.ATTR_GEN_AI_TOOL_CALL_RESULT, typeof answer?.content === 'string' ? answer.content : result);
}

function addModelCall(translation: Translation): void {
  const provider = translation.text(`${METADATA}.ls_provider`);
  if (provider !== undefined) translation.add(keys.ATTR_GEN_AI_PROVIDER_NAME, providerName(provider));
  translation.addText(keys.ATTR_GEN_AI_REQUEST_MODEL, translation.get('langfuse.observation.model.name'));
  const given = translation.json('langfuse.observation.model.parameters');
  if (isTree(given)) {
    translation.addNumbers(given, requestParameters);
    if (given.stream === true) translation.add(keys.ATTR_GEN_AI_REQUEST_STREAM, true);
  }
  const used = translation.json('langfuse.observation.usage_details');
  if (isTree(used)) translation.addNumbers(used, usage);
  const request = translation.json(INPUT);
  if (isTree(request) && Array.isArray(request.tools) && request.tools.length > 0)
    translation.addJson(keys.ATTR_GEN_AI_TOOL_DEFINITIONS, request.tools);
  addMessages(translation);
}

/** Langfuse leaves the status of a span alone, and says that it failed by its level. */
function addFailure(translation: Translation): void {
  if (translation.get('langfuse.observation.level') !== 'ERROR') return;
  const named = /^([\w.]*(?:Error|Exception))\b/.exec(translation.text('langfuse.observation.status_message') ?? '');
  translation.add(ATTR_ERROR_TYPE, textOf(named?.[1]) ?? OTHER_ERROR);
}

/** What Langfuse's SDKs write on the spans of their own; other instrumentations' spans pass through them as they are. */
export const langfuse: Vocabulary = {
  name: 'langfuse',
  captureSetting:
    'Give Langfuse the messages as input and the answer as output of the generation, and leave its mask out.',
  knows: (attributes) => attributes.has(TYPE),
  lackOf: () => undefined,
  translate(translation, { name }) {
    const operation = operationOfType.get(translation.text(TYPE) ?? '');
    addFailure(translation);
    addWhoAsks(translation, (member) => translation.get(`${METADATA}.${member}`));
    if (operation === undefined) return;
    translation.add(keys.ATTR_GEN_AI_OPERATION_NAME, operation);
    switch (operation) {
      case 'execute_tool':
        return addTool(translation, name);
      case 'invoke_agent':
        translation.add(keys.ATTR_GEN_AI_AGENT_NAME, name);
        return addAgent(translation);
      case 'retrieval':
        return translation.addText(keys.ATTR_GEN_AI_RETRIEVAL_QUERY_TEXT, translation.get(INPUT));
      default:
        return addModelCall(translation);
    }
  },
};
