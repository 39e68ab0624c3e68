import { canonicalJson, isTree } from '../json/json-tree.ts';
import { type GenAiMessage, type GenAiPart, genAiMessage } from './genai-message.ts';

type Tree = Readonly<Record<string, unknown>>;

/** Members of an OpenAI chat request that are known by another name in the compared form. */
const renamed: Readonly<Record<string, string>> = {
  max_completion_tokens: 'max_tokens',
  response_format: 'output_type',
  functions: 'tools',
};

/** The name a member of an OpenAI chat request has in the form that `semconvMessages` gives. */
export function semconvMember(requestMember: string): string {
  return renamed[requestMember] ?? requestMember;
}

const longNumber = /\d{16}/;

/** Whether a JSON text has a number of so many digits. A double cannot tell such apart, and two different ids must never count as equal: then the text is compared. */
export function holdsLongNumber(json: string): boolean {
  // Escapes go first: a pattern that has a choice for each character overflows the stack in a text of megabytes. Where nothing is so long
  // as it stands, only what is no JSON is without what goes.
  return longNumber.test(json) && longNumber.test(json.replaceAll(/\\./g, '').replaceAll(/"[^"]*"/g, ''));
}

/** Begins like an object or a list: that a text is no JSON is dear to find out by reading it, and most texts are none. */
const perhapsTree = /^[ \t\n\r]*[{[]/;

function parsedJson(value: unknown): unknown {
  if (typeof value !== 'string' || !perhapsTree.test(value) || holdsLongNumber(value)) return value;
  try {
    const parsed: unknown = JSON.parse(value);
    return typeof parsed === 'object' && parsed !== null ? parsed : value;
  } catch {
    return value;
  }
}

/** Some instrumentations keep a tool's answer as text, others parse it, others keep the list of text parts. */
function responseValue(response: unknown): unknown {
  if (!Array.isArray(response)) return parsedJson(response);
  const texts = response.map((part: unknown) => (isTree(part) ? (part.text ?? part.content) : undefined));
  return texts.length > 0 && texts.every((item) => typeof item === 'string') ? parsedJson(texts.join('')) : response;
}

/** A call without arguments is written as an empty text, an empty object or nothing at all. */
function callArguments(value: unknown): unknown {
  return value === undefined || value === null || value === '' ? {} : parsedJson(value);
}

function canonicalPart(part: GenAiPart): GenAiPart {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return { type: 'text', content: part.content ?? '' };
    case 'tool_call':
      return { type: part.type, id: part.id ?? null, name: part.name, arguments: callArguments(part.arguments) };
    case 'tool_call_response':
      return { type: part.type, id: part.id ?? null, response: responseValue(part.response ?? part.result) ?? null };
    case 'uri':
      return { type: part.type, modality: part.modality, uri: part.uri };
    case 'blob':
      return { type: part.type, modality: part.modality, content: part.content };
    case 'file':
      return { type: part.type, modality: part.modality, file_id: part.file_id };
    default:
      return part;
  }
}

function joinTexts(parts: readonly GenAiPart[]): GenAiPart[] {
  const joined: GenAiPart[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (part.type === 'text' && last?.type === 'text') {
      joined[joined.length - 1] = { type: 'text', content: `${String(last.content)}${String(part.content)}` };
    } else joined.push(part);
  }
  return joined.filter(({ type, content }) => type !== 'text' || content !== '');
}

/** Where a message's text and its tool calls stand to each other is not said by the chat API: text comes first. */
function canonicalMessage(message: GenAiMessage): GenAiMessage {
  const parts = message.parts.map(canonicalPart);
  const isCall = ({ type }: GenAiPart): boolean => type === 'tool_call';
  const { role, name } = message;
  const ordered = [...joinTexts(parts.filter((part) => !isCall(part))), ...parts.filter(isCall)];
  return { role, parts: ordered, ...(name === undefined ? {} : { name }) };
}

function isAnswerOfTool({ type }: GenAiPart): boolean {
  return type === 'tool_call_response';
}

/** Some gather what tools answered in one message, and others say that the user sent it; the chat API has a message of the tool for each. */
function withOwnAnswers(message: GenAiMessage): GenAiMessage[] {
  const { role, parts } = message;
  if (role === 'assistant' || !parts.some(isAnswerOfTool)) return [message];
  const others = parts.filter((part) => !isAnswerOfTool(part));
  const answers = parts.filter(isAnswerOfTool).map((part) => ({ role: 'tool', parts: [part] }));
  return others.length === 0 ? answers : [...answers, { ...message, parts: others }];
}

/** A message in the compared form, which may be several; one that says nothing is none. */
function comparedMessages(item: unknown): GenAiMessage[] {
  const all = withOwnAnswers(genAiMessage(item)).map(canonicalMessage);
  return all.filter(({ parts }) => parts.length > 0);
}

const settled = new WeakMap<object, readonly string[]>();

/** The canonical JSON of a message in the compared form, which is made once: of messages that nobody changes. */
export function settledMessage(message: unknown): readonly string[] {
  const known = isTree(message) ? settled.get(message) : undefined;
  if (known !== undefined) return known;
  const texts = comparedMessages(message).map(canonicalJson);
  if (isTree(message)) settled.set(message, texts);
  return texts;
}

function canonicalTool(value: unknown): unknown {
  const tool: Tree = isTree(value) ? value : {};
  const described: Tree = isTree(tool.function) ? tool.function : tool;
  const { name, description, parameters } = described;
  return {
    type: tool.type ?? 'function',
    name,
    ...(typeof description === 'string' ? { description } : {}),
    ...(isTree(parameters) ? { parameters } : {}),
  };
}

function toolName(tool: unknown): unknown {
  return isTree(tool) ? tool.name : undefined;
}

function outputType({ output_type: recorded, response_format: format }: Tree): unknown {
  if (recorded !== undefined) return recorded;
  const type = isTree(format) ? format.type : format;
  return typeof type === 'string' && type.startsWith('json') ? 'json' : type;
}

/**
 * A model request in the form in which requests are compared that are known from GenAI attributes only: messages as parts,
 * tools without the provider's wrapping, one name per parameter. Takes an OpenAI chat request, or a request that a dialect
 * rebuilt. What instrumentations write differently for one and the same request is evened out: the role `developer`,
 * adjacent texts, the white space of JSON in tool arguments and answers, whose message those answers are, media types, empty messages.
 */
export function semconvMessages(tree: unknown): unknown {
  if (!isTree(tree)) return tree;
  const { messages, tools, functions, stop, max_completion_tokens: maxCompletion, response_format, ...rest } = tree;
  const given: unknown = tools ?? functions;
  const toolList = Array.isArray(given) ? given.map(canonicalTool) : undefined;
  return {
    ...rest,
    messages: Array.isArray(messages) ? messages.flatMap(comparedMessages) : [],
    ...(toolList === undefined ? {} : { tools: toolList, tool_names: toolList.map(toolName) }),
    ...(stop === undefined || stop === null ? {} : { stop: Array.isArray(stop) ? stop : [stop] }),
    ...(maxCompletion === undefined || maxCompletion === null ? {} : { max_tokens: maxCompletion }),
    ...(outputType(tree) === undefined ? {} : { output_type: outputType({ ...tree, response_format }) }),
  };
}
