import type { PlainValue } from '@reenact/otlp';
import * as keys from '@reenact/semconv/gen-ai';
import { finishReason, isTree } from '@reenact/trace-model';
import { flattened } from '../flattened.ts';
import { langChainAnswer } from '../langchain-messages.ts';
import { providerName } from '../provider-names.ts';
import { requestParameters } from '../request-parameters.ts';
import { parsedJson, type Translation, textOf } from '../translation.ts';
import type { Vocabulary } from '../vocabulary.ts';
import { addWhoAsks } from '../who-asks.ts';
import { inputMessages, lackOfMessages, outputMessages, stateMessages } from './openinference-messages.ts';

const KIND = 'openinference.span.kind';

const counts: readonly (readonly [key: string, sources: readonly string[]])[] = [
  [keys.ATTR_GEN_AI_USAGE_INPUT_TOKENS, ['llm.token_count.prompt']],
  [keys.ATTR_GEN_AI_USAGE_OUTPUT_TOKENS, ['llm.token_count.completion']],
  [
    keys.ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS,
    ['llm.token_count.prompt_details.cache_read', 'llm.token_count.prompt_details.cache_input'],
  ],
  [keys.ATTR_GEN_AI_USAGE_CACHE_CREATION_INPUT_TOKENS, ['llm.token_count.prompt_details.cache_write']],
  [keys.ATTR_GEN_AI_USAGE_REASONING_OUTPUT_TOKENS, ['llm.token_count.completion_details.reasoning']],
];

function treeOf(value: unknown): Readonly<Record<string, unknown>> {
  return isTree(value) ? value : {};
}

function addProvider(translation: Translation): void {
  // LangChain.js says it in its metadata alone.
  const { ls_provider: named } = treeOf(translation.json('metadata'));
  const host = translation.text('llm.provider') ?? textOf(named);
  const system = translation.text('llm.system');
  // Vertex AI serves under the host's name; elsewhere the host says whose API was spoken.
  const given = system === 'vertexai' ? system : (host ?? system);
  if (given !== undefined) translation.add(keys.ATTR_GEN_AI_PROVIDER_NAME, providerName(given));
}

function addParameters(translation: Translation, given: Readonly<Record<string, unknown>>): void {
  translation.addNumbers(given, requestParameters);
  const stop = given.stop ?? given.stop_sequences;
  const stops = (Array.isArray(stop) ? stop : [stop]).filter((item) => typeof item === 'string');
  if (stops.length > 0) translation.add(keys.ATTR_GEN_AI_REQUEST_STOP_SEQUENCES, stops);
  if (given.stream === true) translation.add(keys.ATTR_GEN_AI_REQUEST_STREAM, true);
  const format = textOf(treeOf(given.response_format).type);
  if (format !== undefined) translation.add(keys.ATTR_GEN_AI_OUTPUT_TYPE, format.startsWith('json') ? 'json' : format);
}

/** What the answer's own body says of itself: that of the provider, or what LangChain kept of it. */
function addAnswerFacts(translation: Translation): void {
  const isJson = translation.text('output.mime_type') === 'application/json';
  const body = treeOf(isJson ? translation.json('output.value') : undefined);
  const answer = isTree(body.llm_output) ? body.llm_output : body;
  translation.addText(keys.ATTR_GEN_AI_RESPONSE_ID, answer.id);
  translation.addText(
    keys.ATTR_GEN_AI_RESPONSE_MODEL,
    translation.get('llm.response.model_name') ?? answer.model ?? answer.model_name,
  );
  translation.addText(keys.ATTR_OPENAI_RESPONSE_SYSTEM_FINGERPRINT, answer.system_fingerprint);
  translation.addText(keys.ATTR_OPENAI_RESPONSE_SERVICE_TIER, answer.service_tier);
  if (answer.object === 'response') translation.add(keys.ATTR_OPENAI_API_TYPE, keys.OPENAI_API_TYPE_VALUE_RESPONSES);
  const reason = translation.text('llm.finish_reason');
  if (reason !== undefined) translation.add(keys.ATTR_GEN_AI_RESPONSE_FINISH_REASONS, [finishReason(reason)]);
}

function addUsage(translation: Translation): void {
  for (const [key, sources] of counts) translation.addNumber(key, translation.get(...sources));
}

function addModelCall(translation: Translation): void {
  const { attributes } = translation;
  const given = treeOf(translation.json('llm.invocation_parameters'));
  const isCompletion = flattened(attributes, 'llm.prompts').items.length > 0;
  translation.add(keys.ATTR_GEN_AI_OPERATION_NAME, isCompletion ? 'text_completion' : 'chat');
  translation.addText(
    keys.ATTR_GEN_AI_REQUEST_MODEL,
    translation.text('llm.request.model_name') ??
      textOf(given.model) ??
      textOf(given.model_name) ??
      translation.text('llm.model_name'),
  );
  addProvider(translation);
  addParameters(translation, given);
  addAnswerFacts(translation);
  addUsage(translation);
  const tools = flattened(attributes, 'llm.tools').items.map((tool) => parsedJson(tool.get('tool.json_schema')));
  const described = tools.filter(isTree);
  if (described.length > 0) translation.addJson(keys.ATTR_GEN_AI_TOOL_DEFINITIONS, described);
  translation.addMessages(keys.ATTR_GEN_AI_INPUT_MESSAGES, inputMessages(attributes));
  translation.addMessages(keys.ATTR_GEN_AI_OUTPUT_MESSAGES, outputMessages(attributes));
}

function addEmbedding(translation: Translation): void {
  const { attributes } = translation;
  const given = treeOf(translation.json('embedding.invocation_parameters', 'llm.invocation_parameters'));
  translation.add(keys.ATTR_GEN_AI_OPERATION_NAME, 'embeddings');
  translation.addText(
    keys.ATTR_GEN_AI_REQUEST_MODEL,
    textOf(given.model) ?? translation.text('embedding.model_name', 'llm.model_name'),
  );
  addProvider(translation);
  addUsage(translation);
  const embeddings = flattened(attributes, 'embedding.embeddings').items;
  const vector = embeddings.map((item) => item.get('embedding.vector')).find(Array.isArray);
  if (vector !== undefined) translation.add(keys.ATTR_GEN_AI_EMBEDDINGS_DIMENSION_COUNT, vector.length);
  const parts = embeddings.flatMap((item) => {
    const content = item.get('embedding.text');
    return typeof content === 'string' ? [{ type: 'text', content }] : [];
  });
  if (parts.length > 0) translation.addMessages(keys.ATTR_GEN_AI_INPUT_MESSAGES, [{ role: 'user', parts }]);
}

function addTool(translation: Translation, spanName: string): void {
  translation.add(keys.ATTR_GEN_AI_OPERATION_NAME, 'execute_tool');
  translation.add(keys.ATTR_GEN_AI_TOOL_NAME, translation.text('tool.name') ?? spanName);
  translation.addText(keys.ATTR_GEN_AI_TOOL_DESCRIPTION, translation.get('tool.description'));
  const result = translation.get('output.value');
  const isMessage = typeof result === 'string' && result.includes('"tool_call_id"');
  const answer = isMessage ? langChainAnswer(parsedJson(result)) : undefined;
  translation.addText(keys.ATTR_GEN_AI_TOOL_CALL_ID, translation.text('tool_call.id', 'tool.id') ?? answer?.toolCallId);
  // What a tool takes is described in `tool.parameters`; some say there what it was given.
  translation.add(keys.ATTR_GEN_AI_TOOL_CALL_ARGUMENTS, translation.get('input.value', 'tool.parameters'));
  const content = typeof answer?.content === 'string' ? answer.content : result;
  translation.add(keys.ATTR_GEN_AI_TOOL_CALL_RESULT, content);
}

function documentOf(document: ReadonlyMap<string, PlainValue>): Record<string, unknown> {
  const of = (member: string): PlainValue | undefined => document.get(`document.${member}`);
  const metadata = parsedJson(of('metadata'));
  return { id: of('id'), score: of('score'), content: of('content'), ...(metadata === undefined ? {} : { metadata }) };
}

function addRetrieval(translation: Translation, operation: string): void {
  translation.add(keys.ATTR_GEN_AI_OPERATION_NAME, operation);
  translation.addText(keys.ATTR_GEN_AI_REQUEST_MODEL, translation.get('reranker.model_name'));
  translation.addText(keys.ATTR_GEN_AI_RETRIEVAL_QUERY_TEXT, translation.get('reranker.query', 'input.value'));
  translation.addNumber(keys.ATTR_GEN_AI_RETRIEVAL_TOP_K, translation.get('reranker.top_k'));
  const lists = ['retrieval.documents', 'reranker.output_documents'];
  const documents = lists.flatMap((prefix) => flattened(translation.attributes, prefix).items.map(documentOf));
  if (documents.length > 0) translation.addJson(keys.ATTR_GEN_AI_RETRIEVAL_DOCUMENTS, documents);
}

function addAgent(translation: Translation, operation: string, spanName: string): void {
  translation.add(keys.ATTR_GEN_AI_OPERATION_NAME, operation);
  translation.add(keys.ATTR_GEN_AI_AGENT_NAME, translation.text('agent.name', 'graph.node.name') ?? spanName);
  const asked = stateMessages(translation.get('input.value'), 'user');
  translation.addMessages(keys.ATTR_GEN_AI_INPUT_MESSAGES, asked);
  // What a graph gives in the end is all of its conversation: the last of it is the answer.
  translation.addMessages(
    keys.ATTR_GEN_AI_OUTPUT_MESSAGES,
    stateMessages(translation.get('output.value'), 'assistant').slice(-1),
  );
}

/** Arize's OpenInference: `openinference.span.kind`, flattened messages, and the bodies that went over the wire as `input.value`. */
export const openInference: Vocabulary = {
  name: 'openinference',
  captureSetting:
    'Leave OPENINFERENCE_HIDE_INPUTS, OPENINFERENCE_HIDE_OUTPUTS and the other OPENINFERENCE_HIDE_ settings unset where the agent runs.',
  knows: (attributes) => attributes.has(KIND) || attributes.has('llm.model_name'),
  lackOf: lackOfMessages,
  translate(translation, { name, parentSpanId }) {
    const metadata = treeOf(translation.json('metadata'));
    addWhoAsks(translation, (member) => metadata[member]);
    switch (translation.text(KIND)?.toUpperCase() ?? 'LLM') {
      case 'LLM':
        return addModelCall(translation);
      case 'EMBEDDING':
        return addEmbedding(translation);
      case 'TOOL':
        return addTool(translation, name);
      case 'RETRIEVER':
        return addRetrieval(translation, 'retrieval');
      case 'RERANKER':
        return addRetrieval(translation, 'rerank');
      case 'AGENT':
        return addAgent(translation, 'invoke_agent', name);
      case 'CHAIN':
        // Every step of a framework is a chain: the one that stands for the run is the outermost.
        if (parentSpanId === undefined || parentSpanId === '') addAgent(translation, 'invoke_workflow', name);
    }
  },
};
