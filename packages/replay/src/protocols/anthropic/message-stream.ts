import { isTree } from '@reenact/trace-model';
import { type EventBlock, eventBlock, eventJson } from '../event-blocks.ts';
import type { AnswerEdit } from '../model-protocol.ts';
import { textPieces } from '../text-pieces.ts';
import { type EditedBlock, editedContent, editedStop } from './message-content.ts';
import { blockIndex, streamedMessage } from './streamed-message.ts';

type Tree = Record<string, unknown>;

interface MessageEvent {
  readonly block: EventBlock;
  readonly event: unknown;
}

const closing: ReadonlySet<unknown> = new Set(['message_delta', 'message_stop', 'error']);

function closes({ event }: MessageEvent): boolean {
  return isTree(event) && closing.has(event.type);
}

function rewritten({ atUs, event: name }: EventBlock, event: Tree): EventBlock {
  return eventBlock(atUs, JSON.stringify(event), name);
}

/** The events by which a stream tells of one block. */
function eventsOf({ block, inputText = '' }: EditedBlock, index: number, pieceCount: number): Tree[] {
  const isText = block.type === 'text';
  const deltas: Tree[] = isText
    ? textPieces(String(block.text), pieceCount).map((text) => ({ type: 'text_delta', text }))
    : textPieces(inputText, pieceCount).map((partial_json) => ({ type: 'input_json_delta', partial_json }));
  return [
    { type: 'content_block_start', index, content_block: { ...block, ...(isText ? { text: '' } : { input: {} }) } },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
}

/** The middle of a stream, block by block; what comes between two events of a block, such as a ping, goes with it. */
function groupsOf(events: readonly MessageEvent[]): Map<number, MessageEvent[]> {
  const groups = new Map<number, MessageEvent[]>();
  let current = 0;
  for (const item of events) {
    current = blockIndex(item.event) ?? current;
    groups.set(current, [...(groups.get(current) ?? []), item]);
  }
  return groups;
}

function movedTo({ block, event }: MessageEvent, index: number): EventBlock {
  const recordedAt = blockIndex(event);
  return recordedAt === undefined || recordedAt === index || !isTree(event)
    ? block
    : rewritten(block, { ...event, index });
}

/** Its own events where it did not change; else new ones, at the times of those in whose place they come. */
function blocksOf(item: EditedBlock, index: number, recorded: readonly MessageEvent[], elseAtUs: number): EventBlock[] {
  if (!item.isChanged) return recorded.map((event) => movedTo(event, index));
  const deltas = recorded.filter(({ event }) => isTree(event) && event.type === 'content_block_delta');
  const times = recorded.map(({ block }) => block.atUs);
  return eventsOf(item, index, Math.max(1, deltas.length)).map((event, at) =>
    eventBlock(times[at] ?? times.at(-1) ?? elseAtUs, JSON.stringify(event), String(event.type)),
  );
}

/** A message stream that says something else. Undefined where it never began. */
export function editedMessageStream(blocks: readonly EventBlock[], edit: AnswerEdit): EventBlock[] | undefined {
  const message = streamedMessage(blocks);
  if (message === undefined) return undefined;
  const events = blocks.map((block): MessageEvent => ({ block, event: eventJson(block) }));
  const closingAt = events.findIndex(closes);
  const end = closingAt < 0 ? events.length : closingAt;
  const firstAt = events.findIndex(({ event }) => blockIndex(event) !== undefined);
  const begin = firstAt < 0 ? end : firstAt;
  const groups = groupsOf(events.slice(begin, end));
  const content = editedContent(Array.isArray(message.content) ? message.content.filter(isTree) : [], edit);
  const said = events.slice(0, begin).map(({ block }) => block);
  for (const [index, item] of content.entries()) {
    const recorded = item.recordedAt === undefined ? [] : (groups.get(item.recordedAt) ?? []);
    said.push(...blocksOf(item, index, recorded, said.at(-1)?.atUs ?? 0));
  }
  const closed = events.slice(end).map(({ block, event }) => {
    if (!isTree(event) || event.type !== 'message_delta' || !isTree(event.delta)) return block;
    return rewritten(block, { ...event, delta: editedStop(event.delta, content) });
  });
  return [...said, ...closed];
}
