import type { PlainValue } from '@reenact/otlp';
import { type GenAiMessage, type GenAiPart, genAiMessage, isTree } from '@reenact/trace-model';
import { flattened } from '../flattened.ts';
import { mediaPart, parsedJson, textOf } from '../translation.ts';
import type { Attributes } from '../vocabulary.ts';

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

/** What a model was asked. */
export function inputMessages(attributes: Attributes): GenAiMessage[] {
  const whole = bodyMessages(attributes);
  if (whole !== undefined) return whole;
  const messages = flattened(attributes, INPUT_MESSAGES).items.map(messageOf);
  return messages.length > 0 ? messages : texts(attributes, 'llm.prompts', 'prompt.text', 'user');
}

/** What it answered. */
export function outputMessages(attributes: Attributes): GenAiMessage[] {
  const messages = flattened(attributes, OUTPUT_MESSAGES).items.map(messageOf);
  return messages.length > 0 ? messages : texts(attributes, 'llm.choices', 'completion.text', 'assistant');
}

/** Which messages are known to be missing. */
export function lackOfMessages(attributes: Attributes): string | undefined {
  if (!flattened(attributes, OUTPUT_MESSAGES).isWhole) return 'messages of its answer are missing';
  const isWhole = flattened(attributes, INPUT_MESSAGES).isWhole || bodyMessages(attributes) !== undefined;
  return isWhole ? undefined : 'messages of its input are missing';
}
