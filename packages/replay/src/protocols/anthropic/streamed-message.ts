import { isTree } from '@reenact/trace-model';
import { type EventBlock, eventJson } from '../event-blocks.ts';

type Tree = Record<string, unknown>;

/** The members of a block that deltas of a type add to. */
const texts: Readonly<Record<string, readonly [delta: string, block: string]>> = {
  text_delta: ['text', 'text'],
  thinking_delta: ['thinking', 'thinking'],
  signature_delta: ['signature', 'signature'],
};

/** A place of an event in the content; undefined for events of the whole message. */
export function blockIndex(event: unknown): number | undefined {
  const isOfBlock = isTree(event) && typeof event.type === 'string' && event.type.startsWith('content_block_');
  return isOfBlock && typeof event.index === 'number' ? event.index : undefined;
}

function inputOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

class MessageDraft {
  private message: Tree | undefined;
  private readonly blocks: Tree[] = [];
  private readonly inputs = new Map<number, string>();

  take(event: Tree): void {
    const index = blockIndex(event) ?? 0;
    switch (event.type) {
      case 'message_start':
        this.message = isTree(event.message) ? event.message : {};
        break;
      case 'content_block_start':
        this.blocks[index] = isTree(event.content_block) ? { ...event.content_block } : {};
        break;
      case 'content_block_delta':
        if (isTree(event.delta)) this.add(index, event.delta);
        break;
      case 'message_delta':
        this.message = { ...this.message, ...(isTree(event.delta) ? event.delta : {}) };
        break;
    }
  }

  private add(index: number, delta: Tree): void {
    const block = this.blocks[index];
    if (block === undefined) return;
    if (delta.type === 'input_json_delta') {
      this.inputs.set(index, `${this.inputs.get(index) ?? ''}${String(delta.partial_json ?? '')}`);
      return;
    }
    const [from, to] = texts[String(delta.type)] ?? [];
    if (from === undefined || to === undefined) return;
    block[to] = `${String(block[to] ?? '')}${String(delta[from] ?? '')}`;
  }

  whole(): Tree | undefined {
    if (this.message === undefined) return undefined;
    const content = Array.from(this.blocks, (block = {}, index) => {
      const input = this.inputs.get(index);
      return input === undefined || input === '' ? block : { ...block, input: inputOf(input) };
    });
    return { ...this.message, content };
  }
}

/** The message that a stream was, as far as it came. Undefined where it never began. */
export function streamedMessage(blocks: readonly EventBlock[]): Record<string, unknown> | undefined {
  const draft = new MessageDraft();
  for (const event of blocks.map(eventJson)) if (isTree(event)) draft.take(event);
  return draft.whole();
}
