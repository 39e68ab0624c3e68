import { eventObjects, jsonOrText, type Members, membersOf, numberOf, stringOf } from '@reenact/instrumentation';
import type { ServerSentEvent } from '@reenact/trace-model';

type Block = Record<string, unknown>;

/** The texts that deltas add to, by the type of the delta. */
const texts: Readonly<Record<string, readonly [delta: string, block: string]>> = {
  text_delta: ['text', 'text'],
  thinking_delta: ['thinking', 'thinking'],
  signature_delta: ['signature', 'signature'],
};

class MessageDraft {
  private message: Members = {};
  private readonly blocks = new Map<number, Block>();
  private readonly inputs = new Map<number, string>();

  take(event: Members): void {
    const index = numberOf(event.index) ?? 0;
    switch (event.type) {
      case 'message_start':
        this.message = membersOf(event.message);
        break;
      case 'content_block_start':
        this.blocks.set(index, { ...membersOf(event.content_block) });
        break;
      case 'content_block_delta':
        this.add(index, membersOf(event.delta));
        break;
      case 'message_delta':
        this.message = {
          ...this.message,
          ...membersOf(event.delta),
          usage: { ...membersOf(this.message.usage), ...known(membersOf(event.usage)) },
        };
        break;
    }
  }

  private add(index: number, delta: Members): void {
    const block = this.blocks.get(index) ?? {};
    this.blocks.set(index, block);
    if (delta.type === 'input_json_delta') {
      this.inputs.set(index, (this.inputs.get(index) ?? '') + (stringOf(delta.partial_json) ?? ''));
      return;
    }
    const [from, to] = texts[stringOf(delta.type) ?? ''] ?? [];
    if (from === undefined || to === undefined) return;
    block[to] = (stringOf(block[to]) ?? '') + (stringOf(delta[from]) ?? '');
  }

  whole(): Members {
    const ordered = [...this.blocks].sort(([first], [second]) => first - second);
    const content = ordered.map(([index, block]) => {
      const input = this.inputs.get(index);
      return input === undefined || input === '' ? block : { ...block, input: jsonOrText(input) };
    });
    return { ...this.message, content };
  }
}

/** Later counts replace earlier ones; what a later event leaves out or nulls does not. */
function known(usage: Members): Members {
  return Object.fromEntries(Object.entries(usage).filter(([, count]) => count !== null && count !== undefined));
}

/** The kind of error that a provider reported inside of a stream, behind which its client throws; undefined where it reported none. */
export function reportedError(events: readonly ServerSentEvent[]): string | undefined {
  const told = eventObjects(events).find(({ type }) => type === 'error');
  return told === undefined ? undefined : (stringOf(membersOf(told.error).type) ?? 'error');
}

/** The message that the events of a stream add up to, as far as they go: for the view, never for a replay. */
export function streamedMessage(events: readonly ServerSentEvent[]): Members {
  const draft = new MessageDraft();
  for (const event of eventObjects(events)) draft.take(event);
  return draft.whole();
}
