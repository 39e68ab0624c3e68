import { isTree } from '../json/json-tree.ts';

/** One part of a message in the form of the GenAI conventions: `type` and what belongs to it. */
export interface GenAiPart {
  readonly type: string;
  readonly [member: string]: unknown;
}

/** One message in the form of the GenAI conventions. */
export interface GenAiMessage {
  readonly role: string;
  readonly parts: readonly GenAiPart[];
  readonly name?: string;
  readonly finish_reason?: string;
}

type Tree = Readonly<Record<string, unknown>>;

const roles: Readonly<Record<string, string>> = { developer: 'system', function: 'tool' };

function treeOf(value: unknown): Tree {
  return isTree(value) ? value : {};
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function uriPart(modality: string, uri: string): GenAiPart {
  const inline = /^data:[^,]*,/.exec(uri);
  if (inline === null) return { type: 'uri', modality, uri };
  return { type: 'blob', modality, content: uri.slice(inline[0].length) };
}

function mediaPart(part: Tree): GenAiPart | undefined {
  switch (part.type) {
    case 'image_url':
    case 'input_image': {
      if (typeof part.file_id === 'string') return { type: 'file', modality: 'image', file_id: part.file_id };
      const url = text(part.image_url) ?? text(treeOf(part.image_url).url);
      return url === undefined ? undefined : uriPart('image', url);
    }
    case 'file':
    case 'input_file': {
      const file = isTree(part.file) ? part.file : part;
      if (typeof file.file_id === 'string') return { type: 'file', modality: 'document', file_id: file.file_id };
      const data = text(file.file_data);
      if (data === undefined) return undefined;
      return data.startsWith('data:')
        ? uriPart('document', data)
        : { type: 'blob', modality: 'document', content: data };
    }
    case 'input_audio': {
      const data = text(treeOf(part.input_audio).data);
      return data === undefined ? undefined : { type: 'blob', modality: 'audio', content: data };
    }
    default:
      return undefined;
  }
}

function contentPart(value: unknown): GenAiPart {
  if (typeof value === 'string') return { type: 'text', content: value };
  const part = treeOf(value);
  const known = mediaPart(part);
  if (known !== undefined) return known;
  if (typeof part.text === 'string') return { type: 'text', content: part.text };
  if (typeof part.refusal === 'string') return { type: 'refusal', content: part.refusal };
  return { ...part, type: text(part.type) ?? 'unknown' };
}

function contentParts(content: unknown): GenAiPart[] {
  if (content === undefined || content === null) return [];
  return Array.isArray(content) ? content.map(contentPart) : [contentPart(content)];
}

function toolCallPart(value: unknown): GenAiPart {
  const call = treeOf(value);
  const called = treeOf(call.type === 'custom' ? call.custom : call.function);
  return {
    type: 'tool_call',
    id: text(call.id) ?? null,
    name: text(called.name) ?? '',
    arguments: called.arguments ?? called.input ?? null,
  };
}

function partsOfOpenAi(role: string, message: Tree): GenAiPart[] {
  if (role === 'tool') {
    return [{ type: 'tool_call_response', id: text(message.tool_call_id) ?? null, response: message.content ?? null }];
  }
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls : [];
  const legacyCall = isTree(message.function_call) ? [{ function: message.function_call }] : [];
  const refusal = text(message.refusal);
  return [
    ...contentParts(message.content),
    ...(refusal === undefined ? [] : [{ type: 'refusal', content: refusal }]),
    ...[...calls, ...legacyCall].map(toolCallPart),
  ];
}

function isPart(value: unknown): value is GenAiPart {
  return isTree(value) && typeof value.type === 'string';
}

/**
 * A message as the conventions write it, from one already in that form or from a message of OpenAI's chat API. Nothing is
 * parsed or dropped: tool call arguments that are text stay text. Anything that is no object is an empty user message.
 */
export function genAiMessage(value: unknown): GenAiMessage {
  const message = treeOf(value);
  const given = text(message.role) ?? 'user';
  const role = roles[given] ?? given;
  const parts = Array.isArray(message.parts) ? message.parts.filter(isPart) : partsOfOpenAi(role, message);
  const name = text(message.name);
  const finishReason = text(message.finish_reason);
  return {
    role,
    parts,
    ...(name === undefined ? {} : { name }),
    ...(finishReason === undefined ? {} : { finish_reason: finishReason }),
  };
}
