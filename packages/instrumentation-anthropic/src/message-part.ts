import { type Members, membersOf, stringOf } from '@reenact/instrumentation';

/** One part of a message in the form of the GenAI conventions: `type` and what belongs to it. */
export interface MessagePart {
  readonly type: string;
  readonly [member: string]: unknown;
}

function mediaPart(modality: string, block: Members): MessagePart {
  const source = membersOf(block.source);
  switch (source.type) {
    case 'base64':
      return { type: 'blob', modality, mime_type: stringOf(source.media_type) ?? null, content: source.data ?? '' };
    case 'url':
      return { type: 'uri', modality, uri: stringOf(source.url) ?? '' };
    case 'file':
      return { type: 'file', modality, file_id: stringOf(source.file_id) ?? '' };
    default:
      return { ...block, type: modality };
  }
}

function toolResponsePart(block: Members): MessagePart {
  return {
    type: 'tool_call_response',
    id: stringOf(block.tool_use_id) ?? null,
    response: block.content ?? null,
    ...(block.is_error === true ? { is_error: true } : {}),
  };
}

function serverToolPart(block: Members): MessagePart {
  const name = stringOf(block.name) ?? '';
  const { input } = block;
  return { type: 'server_tool_call', id: stringOf(block.id) ?? null, name, server_tool_call: { type: name, input } };
}

/** A block whose type no case below knows: the answer of a tool the provider ran, or something newer. */
function otherPart(block: Members): MessagePart {
  const type = stringOf(block.type) ?? 'unknown';
  if (!type.endsWith('_tool_result')) return { ...block, type };
  const { tool_use_id: id, content } = block;
  return { type: 'server_tool_call_response', id: stringOf(id) ?? null, server_tool_call_response: { type, content } };
}

/** One block of a message's content. A kind of block that is not known keeps its own members. */
function messagePart(value: unknown): MessagePart {
  if (typeof value === 'string') return { type: 'text', content: value };
  const block = membersOf(value);
  switch (block.type) {
    case 'text':
      return { type: 'text', content: stringOf(block.text) ?? '' };
    case 'thinking': {
      const signature = stringOf(block.signature);
      // The next request sends the signature back, so a reader of the view may want to see that it was there.
      return {
        type: 'reasoning',
        content: stringOf(block.thinking) ?? '',
        ...(signature === undefined ? {} : { signature }),
      };
    }
    case 'tool_use':
      return { type: 'tool_call', id: stringOf(block.id) ?? null, name: block.name ?? '', arguments: block.input };
    case 'tool_result':
      return toolResponsePart(block);
    case 'server_tool_use':
      return serverToolPart(block);
    case 'image':
    case 'document':
      return mediaPart(block.type, block);
    default:
      return otherPart(block);
  }
}

/** The content of a message, a text or a list of blocks, as parts. */
export function messageParts(content: unknown): MessagePart[] {
  if (content === undefined || content === null || content === '') return [];
  return Array.isArray(content) ? content.map(messagePart) : [messagePart(content)];
}
