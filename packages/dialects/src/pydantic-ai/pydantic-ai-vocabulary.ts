import * as keys from '@reenact/semconv/gen-ai';
import { type GenAiMessage, genAiMessage } from '@reenact/trace-model';
import { numberOf, type Translation } from '../translation.ts';
import type { Vocabulary } from '../vocabulary.ts';

const MESSAGES = 'pydantic_ai.all_messages';
const PARAMETERS = 'model_request_parameters';
const TOOL_ARGUMENTS = 'tool_arguments';

/** All messages of an agent's run: what it was asked ends where it answers first, and what it came to stands by itself. */
function addAgent(translation: Translation): void {
  const listed = translation.json(MESSAGES);
  const messages: GenAiMessage[] = Array.isArray(listed) ? listed.map((item) => genAiMessage(item)) : [];
  // What the run was given of an earlier one comes before.
  const from = numberOf(translation.get('pydantic_ai.new_message_index')) ?? 0;
  const answer = messages.findIndex(({ role }, index) => index >= from && role === 'assistant');
  translation.addMessages(keys.ATTR_GEN_AI_INPUT_MESSAGES, answer === -1 ? messages : messages.slice(0, answer));
  const content = translation.text('final_result');
  const result = content === undefined ? [] : [{ role: 'assistant', parts: [{ type: 'text', content }] }];
  translation.addMessages(keys.ATTR_GEN_AI_OUTPUT_MESSAGES, result);
}

/** Pydantic AI, with or without Logfire: the conventions' words, and what a run and a tool said in its own. */
export const pydanticAi: Vocabulary = {
  name: 'pydantic-ai',
  scopes: ['pydantic-ai'],
  captureSetting:
    'Leave include_content of its InstrumentationSettings as it is, or set it to True; of a call that failed, Pydantic AI does not say what was asked.',
  knows: (attributes) =>
    attributes.has(MESSAGES) ||
    attributes.has(PARAMETERS) ||
    (attributes.has(TOOL_ARGUMENTS) && attributes.has(keys.ATTR_GEN_AI_TOOL_NAME)),
  lackOf: () => undefined,
  translate(translation) {
    if (translation.get(MESSAGES) !== undefined) addAgent(translation);
    if (translation.get(TOOL_ARGUMENTS) === undefined) return;
    translation.add(keys.ATTR_GEN_AI_OPERATION_NAME, 'execute_tool');
    translation.add(keys.ATTR_GEN_AI_TOOL_CALL_ARGUMENTS, translation.get(TOOL_ARGUMENTS));
    translation.add(keys.ATTR_GEN_AI_TOOL_CALL_RESULT, translation.get('tool_response'));
  },
};
