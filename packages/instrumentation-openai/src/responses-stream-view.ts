import { eventObjects, type Members, membersOf, numberOf, stringOf } from '@reenact/instrumentation';
import type { ServerSentEvent } from '@reenact/trace-model';

/** One output item as far as its events went. */
interface ItemDraft {
  item: Members;
  text: string;
}

const textDeltas: ReadonlySet<unknown> = new Set(['response.output_text.delta', 'response.refusal.delta']);
const inputDeltas: ReadonlySet<unknown> = new Set([
  'response.function_call_arguments.delta',
  'response.custom_tool_call_input.delta',
]);

/** An item that was never finished: its text so far stands where the whole would. */
function unfinished({ item, text }: ItemDraft): Members {
  switch (item.type) {
    case 'function_call':
      return { ...item, arguments: text };
    case 'custom_tool_call':
      return { ...item, input: text };
    case 'message':
      return { ...item, content: text === '' ? [] : [{ type: 'output_text', text }] };
    default:
      return item;
  }
}

/**
 * The response object that the events of a stream tell, as far as they go: for the view, never for a replay. The last
 * event carries the whole object; where the stream broke off before, it is put together from the items.
 */
export function responseObjectOf(events: readonly ServerSentEvent[]): Members {
  let response: Members = {};
  const drafts = new Map<number, ItemDraft>();
  for (const event of eventObjects(events)) {
    if (event.response !== undefined) response = membersOf(event.response);
    const index = numberOf(event.output_index);
    if (index === undefined) continue;
    if (event.type === 'response.output_item.added' || event.type === 'response.output_item.done') {
      drafts.set(index, { item: membersOf(event.item), text: '' });
    }
    const draft = drafts.get(index);
    if (draft !== undefined && (textDeltas.has(event.type) || inputDeltas.has(event.type))) {
      draft.text += stringOf(event.delta) ?? '';
    }
  }
  if (Array.isArray(response.output) && response.output.length > 0) return response;
  const ordered = [...drafts].sort(([first], [second]) => first - second);
  return { ...response, output: ordered.map(([, draft]) => (draft.text === '' ? draft.item : unfinished(draft))) };
}
