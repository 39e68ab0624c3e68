import { type Members, membersOf, stringOf } from '@reenact/instrumentation';
import { STREAM_VIEW_CHARACTERS_MAX } from './limits.ts';

interface Block {
  readonly type: 'text' | 'reasoning';
  text: string;
}

/** Puts the parts of a streamed answer together to the result that the model would have given in one piece. */
export class AnswerParts {
  private readonly content: unknown[] = [];
  private readonly blocks = new Map<string, Block>();
  private characters = 0;
  private metadata: Members = {};
  private finish: Members = {};

  /** One part has come. */
  add(value: unknown): void {
    const part = membersOf(value);
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start':
        this.open(part.type === 'text-start' ? 'text' : 'reasoning', part.id);
        return;
      case 'text-delta':
      case 'reasoning-delta':
        this.extend(part);
        return;
      case 'tool-call':
      case 'tool-result':
      case 'file':
      case 'source':
        this.content.push(part);
        return;
      case 'response-metadata':
        this.metadata = { ...this.metadata, ...part };
        return;
      case 'finish':
        this.finish = part;
        return;
      default:
    }
  }

  private open(type: Block['type'], id: unknown): void {
    const block: Block = { type, text: '' };
    this.blocks.set(`${type} ${String(id)}`, block);
    this.content.push(block);
  }

  private extend(part: Members): void {
    const type = part.type === 'text-delta' ? 'text' : 'reasoning';
    const block = this.blocks.get(`${type} ${String(part.id)}`);
    const delta = stringOf(part.delta) ?? '';
    this.characters += delta.length;
    if (block !== undefined && this.characters <= STREAM_VIEW_CHARACTERS_MAX) block.text += delta;
  }

  /** What was said so far; without its words where they are too many. */
  get result(): Members {
    const { finishReason, usage } = this.finish;
    const isWhole = this.characters <= STREAM_VIEW_CHARACTERS_MAX;
    return { content: isWhole ? this.content : [], finishReason, usage, response: this.metadata };
  }
}
