import { jsonOrText, listOf, membersOf, stringOf } from '@reenact/instrumentation';

/** One part of a message in the form of the GenAI conventions: `type` and what belongs to it. */
export interface MessagePart {
  readonly type: string;
  readonly [member: string]: unknown;
}

/** One message in the form of the GenAI conventions. */
export interface Message {
  readonly role: string;
  readonly parts: readonly MessagePart[];
  readonly finish_reason?: string;
}

function modalityOf(mediaType: string | undefined): string {
  const [kind] = mediaType?.split('/') ?? [];
  return kind === 'image' || kind === 'audio' || kind === 'video' ? kind : 'document';
}

/** Models of specification v4 say what their data is; older ones give an address, bytes or base64 as such. */
function filePart(part: Readonly<Record<string, unknown>>): MessagePart {
  const mediaType = stringOf(part.mediaType);
  const modality = modalityOf(mediaType);
  const tagged = membersOf(part.data);
  const data = tagged.data ?? tagged.url ?? tagged.text ?? part.data;
  if (data instanceof URL) return { type: 'uri', modality, uri: data.href };
  if (data instanceof Uint8Array) {
    const content = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64');
    return { type: 'blob', modality, mime_type: mediaType ?? null, content };
  }
  return { type: 'blob', modality, mime_type: mediaType ?? null, content: stringOf(data) ?? '' };
}

function toolResponse(part: Readonly<Record<string, unknown>>): MessagePart {
  const output = membersOf(part.output);
  const response = 'value' in output ? output.value : (part.output ?? part.result);
  const isError = output.type === 'error-text' || output.type === 'error-json';
  const id = stringOf(part.toolCallId) ?? null;
  return { type: 'tool_call_response', id, response, ...(isError ? { is_error: true } : {}) };
}

/** One part of a message, or of what a model answered. A kind that is not known keeps its own members. */
function messagePart(value: unknown): MessagePart {
  const part = membersOf(value);
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return { type: part.type, content: stringOf(part.text) ?? '' };
    case 'file':
    case 'reasoning-file':
      return filePart(part);
    case 'tool-call':
      return {
        type: 'tool_call',
        id: stringOf(part.toolCallId) ?? null,
        name: stringOf(part.toolName) ?? '',
        arguments: jsonOrText(part.input),
      };
    case 'tool-result':
      return toolResponse(part);
    default:
      return { ...part, type: stringOf(part.type) ?? 'unknown' };
  }
}

/** The prompt of a call in the form of the conventions. */
export function inputMessages(prompt: unknown): Message[] {
  return listOf(prompt).map((value) => {
    const { role, content } = membersOf(value);
    const parts = typeof content === 'string' ? [{ type: 'text', content }] : listOf(content).map(messagePart);
    return { role: stringOf(role) ?? 'user', parts };
  });
}

/** What a model answered in the form of the conventions; none where it said nothing. */
export function outputMessages(content: unknown, finishReason: string | undefined): Message[] {
  const parts = listOf(content).map(messagePart);
  if (parts.length === 0) return [];
  return [{ role: 'assistant', parts, ...(finishReason === undefined ? {} : { finish_reason: finishReason }) }];
}
