import type { PlainValue } from '@reenact/otlp';
import { type GenAiMessage, type GenAiPart, genAiMessage, isTree } from '@reenact/trace-model';
import type { Attributes } from '../attributes.ts';
import { flattened } from '../flattened.ts';
import { langChainInput, langChainMessage, langChainOutput } from '../langchain-messages.ts';
import { mediaPart, parsedJson, textOf } from '../translation.ts';

const INPUT_MESSAGES = 'llm.input_messages';
const OUTPUT_MESSAGES = 'llm.output_messages';

function contentPart(content: Attributes): GenAiPart {
  const of = (member: string): string | undefined => textOf(content.get(`message_content.${member}`));
  const type = of('type') ?? 'text';
  const address = of('image.image.url') ?? of('audio.audio.url') ?? of('video.video.url');
  if (address !== undefined) return mediaPart(type, address);
  const signature = of('signature');
  const said = { content: of('text') ?? '', ...(signature === undefined ? {} : { signature }) };
  if (type === 'text') return { type, ...said };
  if (type === 'reasoning' || type === 'thinking') return { type: 'reasoning', ...said };
  const members = Array.from(content, ([key, value]) => [key.replace(/^message_content\./, ''), value] as const);
  return { ...Object.fromEntries(members), type };
}

function callPart(call: Attributes): GenAiPart {
  const of = (member: string): PlainValue | undefined => call.get(`tool_call.${member}`);
  return {
    type: 'tool_call',
    id: textOf(of('id')) ?? null,
    name: textOf(of('function.name')) ?? '',
    arguments: of('function.arguments') ?? null,
  };
}

function contentParts(fields: Attributes): GenAiPart[] {
  const contents = flattened(fields, 'message.contents').items;
  if (contents.length > 0) return contents.map(contentPart);
  const content = fields.get('message.content');
  return content === undefined || content === null ? [] : [{ type: 'text', content }];
}

/** A tool's answer: its content as it stands, or its texts. */
function responseOf(parts: readonly GenAiPart[]): unknown {
  const [only, ...others] = parts;
  if (only === undefined) return null;
  return others.length === 0 ? only.content : parts.map(({ content }) => content).join('');
}

function messageOf(fields: Attributes): GenAiMessage {
  const role = textOf(fields.get('message.role')) ?? 'user';
  const parts = contentParts(fields);
  const name = textOf(fields.get('message.name'));
  const id = textOf(fields.get('message.tool_call_id')) ?? null;
  if (role === 'tool') return { role, parts: [{ type: 'tool_call_response', id, response: responseOf(parts) }] };
  const called = textOf(fields.get('message.function_call_name'));
  const callArguments = fields.get('message.function_call_arguments_json') ?? null;
  const legacyCall: GenAiPart[] =
    called === undefined ? [] : [{ type: 'tool_call', id: null, name: called, arguments: callArguments }];
  const calls = flattened(fields, 'message.tool_calls').items.map(callPart);
  return { role, parts: [...parts, ...calls, ...legacyCall], ...(name === undefined ? {} : { name }) };
}

function texts(attributes: Attributes, prefix: string, member: string, role: string): GenAiMessage[] {
  return flattened(attributes, prefix).items.flatMap((item) => {
    const content = item.get(member);
    return typeof content === 'string' ? [{ role, parts: [{ type: 'text', content }] }] : [];
  });
}

/** The messages of the request's own body, where it is one of OpenAI's chat API: whole, also where attributes were dropped. */
function bodyMessages(attributes: Attributes): GenAiMessage[] | undefined {
  const isOpenAi =
    attributes.get('llm.system') === 'openai' && attributes.get('input.mime_type') === 'application/json';
  const body = isOpenAi ? parsedJson(attributes.get('input.value')) : undefined;
  if (!isTree(body) || !Array.isArray(body.messages)) return undefined;
  const { messages } = body;
  return messages.length > 0 && messages.every((item) => isTree(item) && typeof item.role === 'string')
    ? messages.map(genAiMessage)
    : undefined;
}

/** Whether all of a message is there: LangChain.js leaves out content that is a list of parts, and which call it is. */
function isWhole({ role, parts }: GenAiMessage): boolean {
  const isNamed = parts.every(({ type, id }) => !/^tool_call/.test(type) || typeof id === 'string');
  return isNamed && (parts.length > 0 || role === 'assistant');
}

/** What was flattened, or where it is not all that was said, the whole of it as LangChain wrote it. */
function wholeOf(
  attributes: Attributes,
  prefix: string,
  readBody: () => GenAiMessage[] | undefined,
): { readonly messages: GenAiMessage[]; readonly isAll: boolean } {
  const { items, isWhole: hasAll } = flattened(attributes, prefix);
  const messages = items.map(messageOf);
  if (hasAll && messages.every(isWhole)) return { messages, isAll: true };
  const body = readBody();
  // A call without an id lacks nothing that was said.
  const isSaid = messages.every(({ role, parts }) => parts.length > 0 || role === 'assistant');
  return body === undefined ? { messages, isAll: hasAll && isSaid } : { messages: body, isAll: true };
}

function bodyOf(attributes: Attributes, side: 'input' | 'output'): unknown {
  const isJson = attributes.get(`${side}.mime_type`) === 'application/json';
  return isJson ? parsedJson(attributes.get(`${side}.value`)) : undefined;
}

function input(attributes: Attributes): ReturnType<typeof wholeOf> {
  return wholeOf(attributes, INPUT_MESSAGES, () => langChainInput(bodyOf(attributes, 'input')));
}

function output(attributes: Attributes): ReturnType<typeof wholeOf> {
  return wholeOf(attributes, OUTPUT_MESSAGES, () => langChainOutput(bodyOf(attributes, 'output')));
}

/** What a model was asked. */
export function inputMessages(attributes: Attributes): GenAiMessage[] {
  const whole = bodyMessages(attributes);
  if (whole !== undefined) return whole;
  const { messages } = input(attributes);
  return messages.length > 0 ? messages : texts(attributes, 'llm.prompts', 'prompt.text', 'user');
}

/** What it answered. */
export function outputMessages(attributes: Attributes): GenAiMessage[] {
  const { messages } = output(attributes);
  return messages.length > 0 ? messages : texts(attributes, 'llm.choices', 'completion.text', 'assistant');
}

/** Which messages are known to be missing. */
export function lackOfMessages(attributes: Attributes): string | undefined {
  if (!output(attributes).isAll) return 'messages of its answer are missing';
  return bodyMessages(attributes) !== undefined || input(attributes).isAll
    ? undefined
    : 'messages of its input are missing';
}

/** What an agent took or gave: the messages of a graph's state, else the text as it stands. */
export function stateMessages(value: PlainValue | undefined, role: string): GenAiMessage[] {
  const content = textOf(value);
  if (content === undefined) return [];
  const state = /^\s*\{\s*"messages"/.test(content) ? parsedJson(content) : undefined;
  const listed = isTree(state) && Array.isArray(state.messages) ? state.messages : [];
  const isSaid = (item: unknown): boolean =>
    isTree(item) && typeof item.role === 'string' && item.content !== undefined;
  const messages = listed.flatMap(
    (item: unknown) => langChainMessage(item) ?? (isSaid(item) ? genAiMessage(item) : []),
  );
  const isRead = messages.length > 0 && messages.length === listed.length;
  return isRead ? messages : [{ role, parts: [{ type: 'text', content }] }];
}
