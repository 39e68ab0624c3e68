import * as keys from '@reenact/semconv/gen-ai';
import { finishReason, isTree } from '@reenact/trace-model';
import { providerName } from '../provider-names.ts';
import { numberOf, parsedJson, type Translation, textOf } from '../translation.ts';
import type { Vocabulary } from '../vocabulary.ts';
import { addWhoAsks } from '../who-asks.ts';
import { inputMessages, outputMessages, promptMessages } from './ai-sdk-messages.ts';

const OPERATION = 'ai.operationId';

const settings: Readonly<Record<string, readonly string[]>> = {
  [keys.ATTR_GEN_AI_REQUEST_TEMPERATURE]: ['ai.settings.temperature'],
  [keys.ATTR_GEN_AI_REQUEST_TOP_P]: ['ai.settings.topP'],
  [keys.ATTR_GEN_AI_REQUEST_TOP_K]: ['ai.settings.topK'],
  [keys.ATTR_GEN_AI_REQUEST_MAX_TOKENS]: ['ai.settings.maxOutputTokens', 'ai.settings.maxTokens'],
  [keys.ATTR_GEN_AI_REQUEST_SEED]: ['ai.settings.seed'],
  [keys.ATTR_GEN_AI_REQUEST_FREQUENCY_PENALTY]: ['ai.settings.frequencyPenalty'],
  [keys.ATTR_GEN_AI_REQUEST_PRESENCE_PENALTY]: ['ai.settings.presencePenalty'],
};

const usage: Readonly<Record<string, readonly string[]>> = {
  [keys.ATTR_GEN_AI_USAGE_INPUT_TOKENS]: ['ai.usage.inputTokens', 'ai.usage.promptTokens', 'ai.usage.tokens'],
  [keys.ATTR_GEN_AI_USAGE_OUTPUT_TOKENS]: ['ai.usage.outputTokens', 'ai.usage.completionTokens'],
  [keys.ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS]: [
    'ai.usage.inputTokenDetails.cacheReadTokens',
    'ai.usage.cachedInputTokens',
  ],
  [keys.ATTR_GEN_AI_USAGE_CACHE_CREATION_INPUT_TOKENS]: ['ai.usage.inputTokenDetails.cacheWriteTokens'],
  [keys.ATTR_GEN_AI_USAGE_REASONING_OUTPUT_TOKENS]: [
    'ai.usage.outputTokenDetails.reasoningTokens',
    'ai.usage.reasoningTokens',
  ],
};

function addNumbers(translation: Translation, sources: Readonly<Record<string, readonly string[]>>): void {
  for (const [key, names] of Object.entries(sources)) translation.addNumber(key, translation.get(...names));
}

function addModel(translation: Translation): void {
  translation.addText(keys.ATTR_GEN_AI_REQUEST_MODEL, translation.get('ai.model.id'));
  translation.addText(keys.ATTR_GEN_AI_RESPONSE_MODEL, translation.get('ai.response.model'));
  translation.addText(keys.ATTR_GEN_AI_RESPONSE_ID, translation.get('ai.response.id'));
  const provider = translation.text('ai.model.provider', keys.ATTR_GEN_AI_SYSTEM);
  if (provider === undefined) return;
  translation.add(keys.ATTR_GEN_AI_PROVIDER_NAME, providerName(provider));
  // The name of the provider's class stands there, such as `openai.chat`.
  if (translation.attributes.has(keys.ATTR_GEN_AI_SYSTEM))
    translation.replace(keys.ATTR_GEN_AI_SYSTEM, providerName(provider));
  if (provider.endsWith('.responses')) translation.add(keys.ATTR_OPENAI_API_TYPE, keys.OPENAI_API_TYPE_VALUE_RESPONSES);
}

function toolOf(value: unknown): Record<string, unknown> | undefined {
  const tool = parsedJson(typeof value === 'string' ? value : undefined);
  if (!isTree(tool)) return undefined;
  const { type, name, description } = tool;
  const parameters = tool.inputSchema ?? tool.parameters;
  return {
    type: textOf(type) ?? 'function',
    name: textOf(name) ?? '',
    ...(typeof description === 'string' ? { description } : {}),
    ...(isTree(parameters) ? { parameters } : {}),
  };
}

function addModelCall(translation: Translation, isStream: boolean): void {
  translation.add(keys.ATTR_GEN_AI_OPERATION_NAME, 'chat');
  addModel(translation);
  addNumbers(translation, settings);
  addNumbers(translation, usage);
  if (isStream) translation.add(keys.ATTR_GEN_AI_REQUEST_STREAM, true);
  const firstChunkMs = numberOf(translation.get('ai.response.msToFirstChunk', 'ai.stream.msToFirstChunk'));
  // By a clock that was set back in between it is below zero, which is no time.
  if (firstChunkMs !== undefined && firstChunkMs >= 0) {
    translation.add(keys.ATTR_GEN_AI_RESPONSE_TIME_TO_FIRST_CHUNK, firstChunkMs / 1_000);
  }
  const reason = translation.text('ai.response.finishReason', 'ai.finishReason');
  if (reason !== undefined) translation.replace(keys.ATTR_GEN_AI_RESPONSE_FINISH_REASONS, [finishReason(reason)]);
  const listed = translation.get('ai.prompt.tools');
  const tools = Array.isArray(listed) ? listed.map(toolOf).filter((tool) => tool !== undefined) : [];
  if (tools.length > 0) translation.addJson(keys.ATTR_GEN_AI_TOOL_DEFINITIONS, tools);
  translation.addMessages(keys.ATTR_GEN_AI_INPUT_MESSAGES, inputMessages(translation));
  translation.addMessages(keys.ATTR_GEN_AI_OUTPUT_MESSAGES, outputMessages(translation));
}

function embeddedTexts(translation: Translation): { type: string; content: string }[] {
  const values = translation.get('ai.values') ?? translation.get('ai.value');
  return (Array.isArray(values) ? values : [values]).flatMap((value) => {
    const content = parsedJson(value);
    return typeof content === 'string' ? [{ type: 'text', content }] : [];
  });
}

function addEmbedding(translation: Translation): void {
  translation.add(keys.ATTR_GEN_AI_OPERATION_NAME, 'embeddings');
  addModel(translation);
  addNumbers(translation, usage);
  const embeddings = translation.get('ai.embeddings');
  const vector = Array.isArray(embeddings) ? parsedJson(embeddings[0]) : undefined;
  if (Array.isArray(vector)) translation.add(keys.ATTR_GEN_AI_EMBEDDINGS_DIMENSION_COUNT, vector.length);
  const parts = embeddedTexts(translation);
  if (parts.length > 0) translation.addMessages(keys.ATTR_GEN_AI_INPUT_MESSAGES, [{ role: 'user', parts }]);
}

function addTool(translation: Translation): void {
  translation.add(keys.ATTR_GEN_AI_OPERATION_NAME, 'execute_tool');
  translation.addText(keys.ATTR_GEN_AI_TOOL_NAME, translation.get('ai.toolCall.name'));
  translation.addText(keys.ATTR_GEN_AI_TOOL_CALL_ID, translation.get('ai.toolCall.id'));
  translation.add(keys.ATTR_GEN_AI_TOOL_CALL_ARGUMENTS, translation.get('ai.toolCall.args'));
  translation.add(keys.ATTR_GEN_AI_TOOL_CALL_RESULT, translation.get('ai.toolCall.result'));
}

/** The call that the application made. What it sums up of the model calls inside is not said again. */
function addApplicationCall(translation: Translation): void {
  translation.add(keys.ATTR_GEN_AI_OPERATION_NAME, 'invoke_agent');
  addModel(translation);
  translation.addText(keys.ATTR_GEN_AI_AGENT_NAME, translation.get('ai.telemetry.functionId'));
  translation.addMessages(keys.ATTR_GEN_AI_INPUT_MESSAGES, promptMessages(translation));
  translation.addMessages(keys.ATTR_GEN_AI_OUTPUT_MESSAGES, outputMessages(translation));
}

/** The AI SDK's own spans: those of versions 3 to 6, which version 7 still offers as its legacy integration. */
export const aiSdk: Vocabulary = {
  name: 'ai-sdk',
  captureSetting: 'Leave recordInputs and recordOutputs of the telemetry settings as they are, or set them to true.',
  knows: (attributes) => attributes.has(OPERATION),
  lackOf: () => undefined,
  translate(translation) {
    const operation = translation.text(OPERATION) ?? '';
    if (operation === 'ai.toolCall') addTool(translation);
    else if (operation.endsWith('.doEmbed')) addEmbedding(translation);
    else if (/\.do(?:Generate|Stream)$/.test(operation)) addModelCall(translation, operation.endsWith('.doStream'));
    else if (/^ai\.(?:generate|stream)(?:Text|Object)$/.test(operation)) addApplicationCall(translation);
    // In its telemetry's metadata, since version 7 in its context.
    addWhoAsks(translation, (name) => translation.get(`ai.telemetry.metadata.${name}`, `ai.settings.context.${name}`));
  },
};
