import { type GenAiMessage, type GenAiPart, isTree } from '@reenact/trace-model';
import { mediaPart, type Translation, textOf } from '../translation.ts';

type Tree = Readonly<Record<string, unknown>>;

/** A tool's answer: the value itself, which newer versions put beside what kind of value it is. */
function responseOf(part: Tree): unknown {
  const { output } = part;
  if (!isTree(output) || typeof output.type !== 'string' || !('value' in output)) return output ?? part.result ?? null;
  return output.value;
}

/** Newer versions say by the kind of the value that the tool failed. */
function failureOf({ output }: Tree): { is_error?: true } {
  const isError = isTree(output) && (output.type === 'error-text' || output.type === 'error-json');
  return isError ? { is_error: true } : {};
}

/** Media that is here as base64 has no address. */
function filePart(part: Tree): GenAiPart {
  const type = textOf(part.mediaType) ?? textOf(part.mimeType) ?? (part.type === 'image' ? 'image/*' : '');
  const [family = ''] = type.split('/');
  const modality = ['image', 'audio', 'video'].includes(family) ? family : 'document';
  const data = part.data ?? part.image;
  if (typeof data !== 'string') return { ...part, type: 'file', modality };
  if (/^(?:https?|data):/.test(data)) return mediaPart(modality, data);
  return { type: 'blob', modality, mime_type: type, content: data };
}

function partOf(value: unknown): GenAiPart {
  if (!isTree(value)) return { type: 'text', content: String(value) };
  const id = textOf(value.toolCallId) ?? null;
  switch (value.type) {
    case 'text':
      return { type: 'text', content: value.text ?? '' };
    case 'reasoning':
      return { type: 'reasoning', content: value.text ?? '' };
    case 'file':
    case 'image':
      return filePart(value);
    case 'tool-call':
      return {
        type: 'tool_call',
        id,
        name: textOf(value.toolName) ?? '',
        arguments: value.input ?? value.args ?? null,
      };
    case 'tool-result':
      return { type: 'tool_call_response', id, response: responseOf(value), ...failureOf(value) };
    default:
      return { ...value, type: textOf(value.type) ?? 'unknown' };
  }
}

/** The AI SDK gathers the answers of several tools in one message; whoever speaks OpenAI's API sends one for each. */
function messagesOf(value: unknown): GenAiMessage[] {
  if (!isTree(value)) return [];
  const role = textOf(value.role) ?? 'user';
  const { content } = value;
  const parts = Array.isArray(content)
    ? content.map(partOf)
    : content === undefined || content === null
      ? []
      : [{ type: 'text', content }];
  return role === 'tool' ? parts.map((part) => ({ role, parts: [part] })) : [{ role, parts }];
}

/** What a model was asked. */
export function inputMessages(translation: Translation): GenAiMessage[] {
  const messages = translation.json('ai.prompt.messages');
  return Array.isArray(messages) ? messages.flatMap(messagesOf) : [];
}

/** What the application asked for. */
export function promptMessages(translation: Translation): GenAiMessage[] {
  const prompt = translation.json('ai.prompt');
  if (!isTree(prompt)) return [];
  const system = textOf(prompt.system);
  const instructions: GenAiMessage[] =
    system === undefined ? [] : [{ role: 'system', parts: [{ type: 'text', content: system }] }];
  const asked = typeof prompt.prompt === 'string' ? [{ role: 'user', content: prompt.prompt }] : prompt.prompt;
  const messages = prompt.messages ?? asked;
  return [...instructions, ...(Array.isArray(messages) ? messages.flatMap(messagesOf) : [])];
}

/** What was answered; an object that was generated is the text that it was made of. */
export function outputMessages(translation: Translation): GenAiMessage[] {
  const reasoning = translation.text('ai.response.reasoning');
  const text = translation.text('ai.response.text', 'ai.result.text');
  const object = translation.text('ai.response.object', 'ai.result.object');
  const calls = translation.json('ai.response.toolCalls', 'ai.result.toolCalls');
  const parts = [
    ...(reasoning === undefined ? [] : [{ type: 'reasoning', content: reasoning }]),
    ...[text ?? object].flatMap((content) => (content === undefined ? [] : [{ type: 'text', content }])),
    ...(Array.isArray(calls) ? calls.filter(isTree).map((call) => partOf({ ...call, type: 'tool-call' })) : []),
  ];
  return parts.length === 0 ? [] : [{ role: 'assistant', parts }];
}
