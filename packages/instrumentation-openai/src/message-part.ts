import { jsonOrText, membersOf, stringOf } from '@reenact/instrumentation';

/** One part of a message in the form of the GenAI conventions: `type` and what belongs to it. */
export interface MessagePart {
  readonly type: string;
  readonly [member: string]: unknown;
}

/** One message in the form of the GenAI conventions. */
export interface Message {
  readonly role: string;
  readonly parts: readonly MessagePart[];
  readonly name?: string;
  readonly finish_reason?: string;
}

const dataUrl = /^data:([^;,]*)(?:;[^,]*)?,/;

/** An image, document or sound behind an address: inline bytes become a blob, everything else stays a link. */
function uriPart(modality: string, uri: string): MessagePart {
  const inline = dataUrl.exec(uri);
  if (inline === null) return { type: 'uri', modality, uri };
  const mimeType = inline[1] === '' ? null : inline[1];
  return { type: 'blob', modality, mime_type: mimeType, content: uri.slice(inline[0].length) };
}

function imagePart(part: Readonly<Record<string, unknown>>): MessagePart {
  const fileId = stringOf(part.file_id);
  if (fileId !== undefined) return { type: 'file', modality: 'image', file_id: fileId };
  const image = part.image_url;
  return uriPart('image', stringOf(image) ?? stringOf(membersOf(image).url) ?? '');
}

function filePart(part: Readonly<Record<string, unknown>>): MessagePart {
  const file = part.file === undefined ? part : membersOf(part.file);
  const fileId = stringOf(file.file_id);
  if (fileId !== undefined) return { type: 'file', modality: 'document', file_id: fileId };
  return uriPart('document', stringOf(file.file_url) ?? stringOf(file.file_data) ?? '');
}

function audioPart(part: Readonly<Record<string, unknown>>): MessagePart {
  const { data, format } = membersOf(part.input_audio);
  const mimeType = stringOf(format) === undefined ? null : `audio/${format}`;
  return { type: 'blob', modality: 'audio', mime_type: mimeType, content: stringOf(data) ?? '' };
}

/** One part of a message's content. A kind of part that is not known keeps its own members. */
function contentPart(value: unknown): MessagePart {
  if (typeof value === 'string') return { type: 'text', content: value };
  const part = membersOf(value);
  switch (part.type) {
    case 'text':
    case 'input_text':
    case 'output_text':
    case 'summary_text':
      return { type: 'text', content: stringOf(part.text) ?? '' };
    case 'refusal':
      return { type: 'refusal', content: stringOf(part.refusal) ?? '' };
    case 'image_url':
    case 'input_image':
      return imagePart(part);
    case 'file':
    case 'input_file':
      return filePart(part);
    case 'input_audio':
      return audioPart(part);
    default:
      return { ...part, type: stringOf(part.type) ?? 'unknown' };
  }
}

/** The content of a message, a text or a list of parts, as parts. */
export function contentParts(content: unknown): MessagePart[] {
  if (content === undefined || content === null || content === '') return [];
  return Array.isArray(content) ? content.map(contentPart) : [contentPart(content)];
}

/** What a model asks a tool to do; arguments that are JSON text are given as the value they stand for. */
export function toolCallPart(id: unknown, name: unknown, callArguments: unknown): MessagePart {
  return {
    type: 'tool_call',
    id: stringOf(id) ?? null,
    name: stringOf(name) ?? '',
    arguments: jsonOrText(callArguments),
  };
}

/** What a tool answered. */
export function toolResponsePart(id: unknown, response: unknown): MessagePart {
  return { type: 'tool_call_response', id: stringOf(id) ?? null, response };
}
