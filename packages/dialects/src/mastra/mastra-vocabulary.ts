import * as keys from '@reenact/semconv/gen-ai';
import { finishReason, type GenAiMessage, genAiMessage, isTree } from '@reenact/trace-model';
import { providerName } from '../provider-names.ts';
import { parsedJson, type Translation, textOf } from '../translation.ts';
import type { Vocabulary } from '../vocabulary.ts';
import { addWhoAsks } from '../who-asks.ts';

const TYPE = 'mastra.span.type';

/** What an agent or a workflow took or gave: a text, a list of messages, or an object that holds the text. */
function said(translation: Translation, key: string, role: string): GenAiMessage[] {
  const value = translation.get(key);
  const tree = parsedJson(value);
  const isList = Array.isArray(tree) && tree.length > 0 && tree.every((item) => isTree(item) && 'content' in item);
  if (isList) return tree.map((item) => genAiMessage(item));
  const content = (isTree(tree) ? textOf(tree.text) : undefined) ?? textOf(value);
  return content === undefined ? [] : [{ role, parts: [{ type: 'text', content }] }];
}

/** Mastra writes most of it as the conventions do, and some of that in the AI SDK's words. */
function addModelCall(translation: Translation): void {
  const provider = translation.text(keys.ATTR_GEN_AI_PROVIDER_NAME);
  if (provider !== undefined) translation.replace(keys.ATTR_GEN_AI_PROVIDER_NAME, providerName(provider));
  const reasons = translation.json(keys.ATTR_GEN_AI_RESPONSE_FINISH_REASONS);
  if (Array.isArray(reasons))
    translation.replace(
      keys.ATTR_GEN_AI_RESPONSE_FINISH_REASONS,
      reasons.filter((reason) => typeof reason === 'string').map(finishReason),
    );
  const reasoning = translation.get(keys.ATTR_GEN_AI_USAGE_REASONING_TOKENS);
  translation.addNumber(keys.ATTR_GEN_AI_USAGE_REASONING_OUTPUT_TOKENS, reasoning);
}

/** Spans of Mastra's exporters: those of the conventions, with what is its own below `mastra.`. */
export const mastra: Vocabulary = {
  name: 'mastra',
  captureSetting: 'Mastra does not say of each call of a model what it was asked. Record it with Reenact.',
  knows: (attributes) => attributes.has(TYPE),
  lackOf: () => undefined,
  translate(translation) {
    const type = translation.text(TYPE) ?? '';
    const operation = translation.text(keys.ATTR_GEN_AI_OPERATION_NAME) ?? '';
    if (operation === 'chat' || operation === 'embeddings') addModelCall(translation);
    if (operation.startsWith('invoke_')) {
      const [asked, answered] = [`mastra.${type}.input`, `mastra.${type}.output`];
      translation.addMessages(keys.ATTR_GEN_AI_INPUT_MESSAGES, said(translation, asked, 'user'));
      translation.addMessages(keys.ATTR_GEN_AI_OUTPUT_MESSAGES, said(translation, answered, 'assistant'));
    }
    addWhoAsks(translation, (name) => translation.get(`mastra.metadata.${name}`));
  },
};
