import { canonicalJson, isTree } from '@reenact/trace-model';
import { type EventBlock, eventBlock, eventJson } from '../event-blocks.ts';
import type { AnswerEdit } from '../model-protocol.ts';
import { textPieces } from '../text-pieces.ts';
import { treesOf } from './chat-answer.ts';
import { editedResponse } from './response-answer.ts';

type Tree = Record<string, unknown>;

/** One event of a response stream, without its number. */
interface ResponseEvent {
  readonly atUs: number;
  readonly event: Tree;
  /** Sent as it was where nothing about it changed. */
  readonly block?: EventBlock;
}

function isFinal({ type }: Tree): boolean {
  return type === 'response.completed' || type === 'response.incomplete' || type === 'response.failed';
}

/** The response object of a finished stream. */
export function finalResponse(blocks: readonly EventBlock[]): unknown {
  const final = blocks.map(eventJson).findLast((event) => isTree(event) && isFinal(event));
  return isTree(final) ? final.response : undefined;
}

function messageEvents(item: Tree, outputIndex: number, deltaCount: number): Tree[] {
  const [part] = treesOf(item.content);
  const text = typeof part?.text === 'string' ? part.text : '';
  const place = { item_id: item.id, output_index: outputIndex, content_index: 0 };
  return [
    {
      type: 'response.output_item.added',
      output_index: outputIndex,
      item: { ...item, status: 'in_progress', content: [] },
    },
    { type: 'response.content_part.added', ...place, part: { ...part, text: '' } },
    ...textPieces(text, deltaCount).map((delta) => ({
      type: 'response.output_text.delta',
      ...place,
      delta,
      logprobs: [],
    })),
    { type: 'response.output_text.done', ...place, text, logprobs: [] },
    { type: 'response.content_part.done', ...place, part },
    { type: 'response.output_item.done', output_index: outputIndex, item },
  ];
}

function callEvents(item: Tree, outputIndex: number): Tree[] {
  const place = { item_id: item.id, output_index: outputIndex };
  return [
    {
      type: 'response.output_item.added',
      output_index: outputIndex,
      item: { ...item, status: 'in_progress', arguments: '' },
    },
    { type: 'response.function_call_arguments.delta', ...place, delta: item.arguments },
    { type: 'response.function_call_arguments.done', ...place, name: item.name, arguments: item.arguments },
    { type: 'response.output_item.done', output_index: outputIndex, item },
  ];
}

/** Rebuilds a stream from the response it is to end with; items that did not change keep their own events. */
class ResponseStreamEdit {
  private readonly events: readonly ResponseEvent[];
  private readonly recorded: readonly Tree[];
  private readonly edited: Tree;

  constructor(events: readonly ResponseEvent[], recorded: readonly Tree[], edited: Tree) {
    this.events = events;
    this.recorded = recorded;
    this.edited = edited;
  }

  private ofItem(index: number): ResponseEvent[] {
    return this.events.filter(({ event }) => event.output_index === index);
  }

  /** New events take the times of those in whose place they come. */
  private timed(events: readonly Tree[], recordedIndex: number): ResponseEvent[] {
    const times = this.ofItem(recordedIndex).map(({ atUs }) => atUs);
    const lastUs = times.at(-1) ?? this.events.at(-1)?.atUs ?? 0;
    return events.map((event, index) => ({ atUs: times[index] ?? lastUs, event }));
  }

  private item(item: Tree, index: number): ResponseEvent[] {
    const recordedIndex = this.recorded.findIndex(({ id }) => id === item.id);
    const isSame = canonicalJson(this.recorded[recordedIndex]) === canonicalJson(item);
    if (isSame) return this.ofItem(recordedIndex).map((event) => movedTo(event, index));
    const deltas = this.ofItem(recordedIndex).filter(({ event }) => event.type === 'response.output_text.delta');
    const events =
      item.type === 'message' ? messageEvents(item, index, Math.max(1, deltas.length)) : callEvents(item, index);
    return this.timed(events, recordedIndex);
  }

  rebuild(): ResponseEvent[] {
    const isItem = ({ event }: ResponseEvent): boolean => typeof event.output_index === 'number';
    const begin = this.events.findIndex(isItem);
    const finalAt = this.events.findLastIndex(({ event }) => isFinal(event));
    const before = this.events.slice(0, begin < 0 ? finalAt : begin);
    const after = this.events
      .slice(finalAt)
      .map((event) =>
        isFinal(event.event) ? { atUs: event.atUs, event: { ...event.event, response: this.edited } } : event,
      );
    const items = treesOf(this.edited.output).flatMap((item, index) => this.item(item, index));
    return [...before, ...items, ...after];
  }
}

function movedTo({ atUs, event, block }: ResponseEvent, index: number): ResponseEvent {
  if (event.output_index === index && block !== undefined) return { atUs, event, block };
  return { atUs, event: { ...event, output_index: index } };
}

function numbered({ atUs, event, block }: ResponseEvent, index: number): EventBlock {
  const hasNumber = 'sequence_number' in event;
  if (block !== undefined && (!hasNumber || event.sequence_number === index)) return { ...block, atUs };
  const numbers = hasNumber || block === undefined ? { sequence_number: index } : {};
  return eventBlock(
    atUs,
    JSON.stringify({ ...event, ...numbers }),
    typeof event.type === 'string' ? event.type : undefined,
  );
}

/** A response stream that says something else. Undefined where it never came to its end, so that nobody knows the whole. */
export function editedResponseStream(blocks: readonly EventBlock[], edit: AnswerEdit): EventBlock[] | undefined {
  const recorded = finalResponse(blocks);
  const edited = editedResponse(recorded, edit);
  if (edited === undefined || !isTree(recorded)) return undefined;
  const events = blocks.flatMap((block): ResponseEvent[] => {
    const event = eventJson(block);
    return isTree(event) ? [{ atUs: block.atUs, event, block }] : [];
  });
  return new ResponseStreamEdit(events, treesOf(recorded.output), edited).rebuild().map(numbered);
}
