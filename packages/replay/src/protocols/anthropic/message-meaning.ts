import { isTree } from '@reenact/trace-model';
import type { NamedPart } from '../model-protocol.ts';

type Tree = Record<string, unknown>;

function blockMeaning(block: Tree): unknown {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text };
    case 'tool_use':
      return { type: 'tool_use', name: block.name, input: block.input };
    default: {
      const { id: _id, tool_use_id: _toolUseId, ...rest } = block as Tree & { id?: unknown; tool_use_id?: unknown };
      return rest;
    }
  }
}

/** The tool calls of a message. */
export function namedPartsOfMessage(body: unknown): NamedPart[] {
  const blocks = isTree(body) && Array.isArray(body.content) ? body.content.filter(isTree) : [];
  return blocks.flatMap((block) => (typeof block.id === 'string' ? [{ id: block.id, says: blockMeaning(block) }] : []));
}

/** What a message says: its texts, tool calls and other blocks and why it stopped, but not how the model came to them. */
export function messageMeaning(body: unknown): unknown {
  if (!isTree(body) || !Array.isArray(body.content)) return undefined;
  const blocks = body.content.filter(isTree);
  const said = blocks.filter(({ type }) => type !== 'thinking' && type !== 'redacted_thinking');
  return { content: said.map(blockMeaning), stopReason: body.stop_reason };
}
